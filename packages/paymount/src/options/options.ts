import type { Authenticator, KeyProvider, RateLimitOptions, RingKey } from '@paymount/auth';
import type { LeakPolicy, LeakSource } from '@paymount/core/access';
import type { Mailer } from '@paymount/core/changes';
import type { Clock, CrashPoint, Environment, Logger } from '@paymount/core/kernel';
import type { Processor } from '@paymount/core/payments';
import type { StorageAdapter } from '@paymount/core/store';
import type { SandboxOptions } from '@paymount/processor-sandbox';
import type { SMTPTransportOptions } from 'nodemailer';
import type { FeeSchedule, HostHook } from './host-hook.ts';
import type { MountEnvironment } from './mount-environment.ts';
import type { PostgresStorageOptions } from './postgres-storage.ts';

/** What a host passes to `createPaymount`. Only `database` is required. */
export interface PaymountOptions extends ServiceOptions, PostgresStorageOptions {
  readonly storage?: never;
}

/** The same for a storage adapter of your choice, which takes the options of PostgreSQL's place. */
export interface PaymountStorageOptions
  extends ServiceOptions,
    Readonly<Partial<Record<keyof PostgresStorageOptions, never>>> {
  /** Where everything is kept: `pgliteStorage()`, say, or an adapter of your own. */
  readonly storage: StorageAdapter;
}

/** What has nothing to do with where the data is. */
interface ServiceOptions {
  /**
   * Brings the schema up to date first; safe when several processes start at once. Without it a
   * schema that is behind is refused: run `npx paymount migrate`. @defaultValue false
   */
  readonly migrate?: boolean;
  /** Your adapters. `live` has none by default; `test` has the sandbox. */
  readonly processors?: Partial<Readonly<Record<Environment, Processor>>>;
  /** The behavior of the sandbox: its latency and its random faults. */
  readonly sandbox?: Omit<SandboxOptions, 'memory' | 'clock'>;
  /**
   * The keys that encrypt stored secrets, newest first. Each key is 32 random bytes in base64; to
   * make one, run `openssl rand -base64 32`. Instead of a list you can pass a `KeyProvider` that
   * reads the keys from your key service. Required for the live environment and with
   * `NODE_ENV=production`. Otherwise Paymount makes a key in `.paymount/keys`.
   */
  readonly sealingKeys?: readonly RingKey[] | KeyProvider;
  /**
   * Redis for the alarm clock of retries, to count requests of all processes together, and to tell
   * them of revocations. Without it PostgreSQL alone does the work, and each process counts on its own.
   * Needs `npm install bullmq ioredis`.
   */
  readonly redis?: string;
  /**
   * Your SQL that commits with a result, or not at all; it has 5 s. It is given a knex transaction that also
   * takes plain SQL, `query(text, values)`, and told the charge, and the refund, as the API shows them
   * (docs/reference/paymount.md). All processes of a database get the same: one without it records no
   * results while others have it.
   */
  readonly hook?: HostHook;
  /** What you keep of a captured charge, asked for each capture. @defaultValue nothing */
  readonly fees?: FeeSchedule;
  /** How far a refund may exceed the merchant's balance, in minor units. @defaultValue 0 */
  readonly refundOverdraft?: number;
  /** Where webhooks may go. @defaultValue public addresses alone */
  readonly egress?: EgressSettings;
  /**
   * Addresses and CIDR ranges of your own proxies: what they add to `X-Forwarded-For` is believed.
   * Express's `trust proxy` is not looked at. @defaultValue none: the peer of the socket is the
   * client
   */
  readonly trustedProxies?: readonly string[];
  /**
   * The header in which those proxies name the client's TLS version, such as `TLSv1.3`. Once
   * named, it is required of them. @defaultValue none: `X-Forwarded-Proto: https` is enough
   */
  readonly tlsVersionHeader?: string;
  /**
   * How often keys, accounts, addresses and admins may ask (docs/reference/rate-limits.md); false
   * limits nothing. @defaultValue the limits of that page, counted by each process
   */
  readonly rateLimit?: RateLimitOptions | false;
  /** 2-8 letters or digits that mark the keys of this installation. @defaultValue `pm` */
  readonly issuerTag?: string;
  /**
   * How long a key must rest until `safe_to_revoke` says so: 1 to 7,776,000 s (90 days).
   * @defaultValue 86,400 (24 hours)
   */
  readonly safeAfterSeconds?: number;
  /** How e-mail goes out; live demands a way. In test mails wait, and are dropped after 7 days. */
  readonly mail?: MailSettings;
  /** Your own way to send e-mail, instead of `mail.smtp`; false, and nobody is written to. */
  readonly mailer?: Mailer | false;
  /**
   * What is done about a secret or restricted key that leaked: `notify` writes to its owner and
   * leaves it at work. @defaultValue `revoke`
   */
  readonly leakPolicy?: LeakPolicy;
  /** Who reports leaked credentials. @defaultValue GitHub, through `leakRouter()` */
  readonly leaks?: LeakSettings;
  /**
   * Where `doc_url` of errors points: the address of a page, to which `#` and the code are added.
   * Set it where clients need a whole address: a mount's own page is named by its path alone.
   * @defaultValue the path of the page that a mount serves with `apiPage`, else the sources' page
   */
  readonly docUrl?: string;
  /** Your logger, in pino's shape. @defaultValue pino on standard output */
  readonly logger?: Logger;
  /** For tests. @defaultValue the machine's clock */
  readonly clock?: Clock;
  /** For crash tests: told each named place that a process may die at. @defaultValue nothing */
  readonly crashPoint?: CrashPoint;
}

/** How e-mail goes out: by SMTP, unless there is a `mailer`. */
export interface MailSettings {
  /** `smtps://user:password@host`, or nodemailer's options. @defaultValue none: mails wait */
  readonly smtp?: string | SMTPTransportOptions;
  /** `Payments <payments@example.com>`; required with `smtp`. @defaultValue none */
  readonly from?: string;
  /**
   * Who is written to when a person must look at an operation, and when an account that something is
   * said to has no address. @defaultValue nobody
   */
  readonly operator?: string;
}

/** Who reports leaked credentials. */
export interface LeakSettings {
  /** GitHub's secret scanning; `keysUrl` is where its keys are. @defaultValue GitHub's own */
  readonly github?: { readonly keysUrl?: string };
  /** Other code hosts, each at `POST /leaks/NAME` of the leak router. @defaultValue none */
  readonly sources?: readonly LeakSource[];
}

/** Where webhooks may go. Private and local addresses are refused unless a network is listed. */
export interface EgressSettings {
  /**
   * CIDRs that are called although they are not public, such as `127.0.0.0/8` in development.
   * Addresses at which clouds hand out credentials stay refused. @defaultValue none
   */
  readonly allowedNetworks?: readonly string[];
  /**
   * Ports besides 443 and 8443 (and 80 in test); `any` opens all, in `allowedNetworks` alone.
   * @defaultValue none
   */
  readonly ports?: readonly number[] | 'any';
  /** PEM certificates of a private authority. @defaultValue the machine's */
  readonly ca?: string;
}

/** What `router()` takes. */
export interface RouterOptions {
  readonly environment: MountEnvironment;
  /** Refuses what came to this machine without TLS 1.2 or later. @defaultValue true */
  readonly requireTls?: boolean;
  /** Serves `GET /v1/docs`, a page of routes and errors that needs no key. @defaultValue false */
  readonly apiPage?: boolean;
}

/** What `leakRouter()` takes. */
export interface LeakRouterOptions {
  /** Reports hold credentials that work. @defaultValue true */
  readonly requireTls?: boolean;
}

/** What `managementRouter()` takes. */
export interface ManagementRouterOptions {
  readonly authenticate: Authenticator;
  /**
   * Origins of the pages that may write, such as `https://admin.example.com`.
   * @defaultValue that which a request was sent to
   */
  readonly origins?: readonly string[];
  /** Refuses what did not come over TLS 1.2 or later. @defaultValue true */
  readonly requireTls?: boolean;
}

/** What `startWorker()` takes. */
export interface WorkerOptions {
  /**
   * False switches off the one path that never misses a delivery. Only tests want that, to show
   * that they would notice a loss. @defaultValue true
   */
  readonly reconcile?: boolean;
}
