import type { Environment } from '../../kernel/basics/environment.ts';

/** The content of a file is stored under its id, which is unique in both environments. */
export interface FileKey {
  readonly accountId: string;
  readonly environment: Environment;
  /** `file_...` */
  readonly id: string;
}

/**
 * Where the contents of files are stored: the database, or a store of the host's own, such as a
 * bucket. It is called outside of transactions.
 */
export interface FileStore {
  /** Stores a content; it is durable when this resolves. Storing the same again is harmless. */
  put(key: FileKey, content: Uint8Array): Promise<void>;
  /** @returns undefined if there is none */
  get(key: FileKey): Promise<Uint8Array | undefined>;
  /** Deletes a content; succeeds if there is none. */
  delete(key: FileKey): Promise<void>;
}
