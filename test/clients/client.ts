/** A program that uses the API as a merchant's would, built with a client that others made. */
export interface Client {
  /** As printed, and as given on the command line to run it alone. */
  readonly name: string;
  /** What the machine must have; a client that lacks one is skipped. */
  readonly tools: readonly Tool[];
  /** Folders beside this file; their files are copied into one temporary folder, without subfolders. */
  readonly folders: readonly string[];
  /**
   * Lines of shell, run one after the other in that folder, with the variables of `Access`. The last
   * one is the program itself; those before it install and compile.
   */
  readonly commands: readonly string[];
  /** What the program must have reported, each by printing `ok <check>` on a line of its own. */
  readonly checks: readonly string[];
}

/** A program of the machine. */
export interface Tool {
  /** What to install, for people. */
  readonly name: string;
  /** A line of shell that succeeds where the tool is there. */
  readonly probe: string;
}

/** The environment variables by which a client reaches the API, with an account of its own. */
export interface Access {
  /** Where the API is mounted under a path. */
  readonly API_URL: string;
  /** Where it is mounted at the root, for clients that know hosts alone. */
  readonly API_ORIGIN: string;
  readonly SECRET_KEY: string;
  /** A secret key of the same account that was revoked. */
  readonly REVOKED_KEY: string;
  /** Address of the module `paymount-receiver`, built. */
  readonly RECEIVER_MODULE: string;
  /** Where the management API is mounted. */
  readonly MANAGEMENT_URL: string;
  /** Of an admin who may do everything. */
  readonly ADMIN_TOKEN: string;
}

/** What happened to one client. */
export type Outcome =
  | { readonly status: 'passed' | 'skipped'; readonly reason: string }
  | { readonly status: 'failed'; readonly reason: string; readonly output: string };
