import type { KeyProvider, RateLimitOptions, RingKey } from '@paymount/auth';
import type { LeakPolicy, LeakSource } from '@paymount/core/access';
import type { Mailer } from '@paymount/core/changes';
import type { Clock, CrashPoint, Environment, Logger } from '@paymount/core/kernel';
import type { FileStore, Processor } from '@paymount/core/payments';
import type { ExportedRow, ExportedTable, StorageAdapter } from '@paymount/core/store';
import type { BytesInFlightLimits } from '@paymount/http';
import type { SandboxOptions } from '@paymount/processor-sandbox';
import type { SMTPTransportOptions } from 'nodemailer';
import type { FeeSchedule, HostHook } from './host-hook.ts';
import type { InvoiceSettings } from './invoice-settings.ts';
import type { PostgresStorageOptions } from './postgres-storage.ts';

/** The options of `createPaymount`. Only `database` is required. */
export interface PaymountOptions extends ServiceOptions, PostgresStorageOptions {
  readonly storage?: never;
}

/** The same for a storage adapter of your choice, which replaces the options of PostgreSQL. */
export interface PaymountStorageOptions
  extends ServiceOptions,
    Readonly<Partial<Record<keyof PostgresStorageOptions, never>>> {
  /** Where all data is stored: `pgliteStorage()`, for example, or your own adapter. */
  readonly storage: StorageAdapter;
}

/** The options that do not depend on the storage. */
interface ServiceOptions {
  /**
   * Applies pending migrations first; safe if several processes start at once. Without it Paymount
   * refuses a schema that is not up to date: run `npx paymount migrate`.
   * @defaultValue false
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
   * Redis, to wake workers for retries, to count the requests of all processes together, and to
   * notify them of revocations. Without it Paymount uses only PostgreSQL, and each process counts
   * on its own. Needs `npm install bullmq ioredis`.
   */
  readonly redis?: string;
  /**
   * Your SQL, which commits with a result or not at all, within 5 s. It gets a knex transaction
   * that also runs plain SQL, `query(text, values)`, and the charge, and the refund, as the API
   * shows them (docs/reference/paymount.md). Use the same hook in all processes of a database: a
   * process without one records no results while others have it.
   */
  readonly hook?: HostHook;
  /**
   * The fee that you keep of a captured charge, computed for each capture. If it throws, the result
   * waits as for the hook.
   * @defaultValue nothing
   */
  readonly fees?: FeeSchedule;
  /**
   * The fee that you take for a chargeback, computed when it is opened. It is kept when the merchant
   * wins.
   * @defaultValue nothing
   */
  readonly disputeFees?: FeeSchedule;
  /** How far a refund may exceed the merchant's balance, in minor units. @defaultValue 0 */
  readonly refundOverdraft?: number;
  /**
   * Where the contents of uploaded files are stored, such as a bucket. Use the same store in all
   * processes; it must be durable when `put` resolves.
   * @defaultValue the database
   */
  readonly fileStore?: FileStore;
  /** How long data is kept that workers delete. @defaultValue what docs/how-to/retention.md says */
  readonly retention?: RetentionSettings;
  /** Where webhooks may go. @defaultValue only public addresses */
  readonly egress?: EgressSettings;
  /**
   * Whether one answer of 410 Gone disables a webhook endpoint at once.
   * @defaultValue false: 410 is retried like any other failure
   */
  readonly disableOnGone?: boolean;
  /**
   * Addresses and CIDR ranges of your own proxies, whose entries in `X-Forwarded-For` are trusted.
   * Paymount ignores Express's `trust proxy`.
   * @defaultValue none: the peer of the socket is the client
   */
  readonly trustedProxies?: readonly string[];
  /**
   * The header in which these proxies name the client's TLS version, such as `TLSv1.3`. If it is
   * set, their requests must have it.
   * @defaultValue none: `X-Forwarded-Proto: https` is sufficient
   */
  readonly tlsVersionHeader?: string;
  /**
   * The rate limits of keys, accounts, addresses and admins (docs/reference/rate-limits.md); false
   * turns them off.
   * @defaultValue the limits of that page, counted by each process
   */
  readonly rateLimit?: RateLimitOptions | false;
  /**
   * How many bytes of requests and answers may be in memory at the same time, of one caller
   * (`perCaller`), of all platforms of one account (`perAccount`) and of each environment
   * (`perProcess`), in each process (docs/reference/rate-limits.md). At least 33,554,432, the largest
   * answer; `perProcess` at least twice as much.
   * @defaultValue 64 MiB, 96 MiB and 256 MiB
   */
  readonly bytesInFlight?: BytesInFlightLimits;
  /** 2-8 letters or digits that mark the keys of this installation. @defaultValue `pm` */
  readonly issuerTag?: string;
  /**
   * How long a key must be unused before `safe_to_revoke` is true: 1 to 7,776,000 s (90 days).
   * @defaultValue 86,400 (24 hours)
   */
  readonly safeAfterSeconds?: number;
  /**
   * How e-mail is sent; required for live. In test, mails without it wait, and are dropped after 7
   * days.
   */
  readonly mail?: MailSettings;
  /** Your own function to send e-mail, instead of `mail.smtp`; with false, no e-mail is sent. */
  readonly mailer?: Mailer | false;
  /** The pages and PDFs of invoices that customers open. @defaultValue none */
  readonly invoices?: InvoiceSettings;
  /**
   * What happens to a leaked secret or restricted key: `notify` writes to its owner and does not
   * revoke it.
   * @defaultValue `revoke`
   */
  readonly leakPolicy?: LeakPolicy;
  /** The sources of reports of leaked credentials. @defaultValue GitHub, through `leakRouter()` */
  readonly leaks?: LeakSettings;
  /**
   * The base of `doc_url` in errors: the URL of a page, to which `#` and the code are appended. Set
   * it if clients need a full URL: a mount's own page has only a path.
   * @defaultValue the path of the page that a mount serves with `apiPage`, otherwise the page in
   *   the repository
   */
  readonly docUrl?: string;
  /** Your logger, with pino's interface. @defaultValue pino on standard output */
  readonly logger?: Logger;
  /** For tests. @defaultValue the machine's clock */
  readonly clock?: Clock;
  /**
   * For crash tests: called at each named place where the tests kill the process.
   * @defaultValue nothing
   */
  readonly crashPoint?: CrashPoint;
}

/** How e-mail is sent: by SMTP, unless there is a `mailer`. */
export interface MailSettings {
  /** `smtps://user:password@host`, or nodemailer's options. @defaultValue none: mails wait */
  readonly smtp?: string | SMTPTransportOptions;
  /** `Payments <payments@example.com>`; required with `smtp`. @defaultValue none */
  readonly from?: string;
  /**
   * The recipient of mails about operations that a person must look at, and of notices to accounts
   * without an address.
   * @defaultValue nobody
   */
  readonly operator?: string;
  /**
   * The public URL of your dashboard, such as `https://shop.example.com/payments/dashboard`: mails to
   * owners of accounts link to the page that they are about.
   * @defaultValue no links
   */
  readonly dashboardUrl?: string;
}

/** The sources of reports of leaked credentials. */
export interface LeakSettings {
  /** GitHub's secret scanning; `keysUrl` is the URL of its keys. @defaultValue GitHub's own */
  readonly github?: { readonly keysUrl?: string };
  /** Other code hosts, each at `POST /leaks/NAME` of the leak router. @defaultValue none */
  readonly sources?: readonly LeakSource[];
}

/** How long data is kept that workers delete. */
export interface RetentionSettings {
  /**
   * The days after which an event is deleted, 30 or more, if it has no delivery left. Charges, refunds
   * and the ledger are kept. Use the same value in all processes with a worker.
   * @defaultValue null: events are kept for ever
   */
  readonly eventsDays?: number | null;
  /**
   * The days after which personal data and the texts of merchants are deleted in invoices that are paid or void,
   * counted from their finalization, and in subscriptions, counted from their end; 365 or more. Amounts and
   * numbers are kept. Use the longest time for which a law wants an invoice as it was issued, and the same
   * value in all processes with a worker.
   * @defaultValue null: they are kept as they were issued for ever
   */
  readonly invoicesDays?: number | null;
  /**
   * Called with attempts, deliveries, replays and events before a worker deletes them. They are
   * deleted after it has resolved, and kept if it rejects or takes more than 60 s
   * (docs/how-to/retention.md).
   * @defaultValue nothing: they are deleted
   */
  readonly export?: ExportHook;
}

/** Rows that are about to be deleted. The same batch can be passed again. */
export interface ExportBatch {
  /** Follows from the table and the ids of its rows: the same rows have the same one. */
  readonly id: string;
  readonly table: ExportedTable;
  /** 1 to 500 rows: their columns by name, as JSON (docs/reference/schema.md). */
  readonly rows: readonly ExportedRow[];
}

/** Stores a copy of rows that are about to be deleted. */
export type ExportHook = (batch: ExportBatch) => Promise<void>;

/** Where webhooks may go. Private and local addresses are refused unless a network is listed. */
export interface EgressSettings {
  /**
   * CIDR ranges that are allowed although they are not public, such as `127.0.0.0/8` in
   * development. Addresses at which clouds hand out credentials are always refused.
   * @defaultValue none
   */
  readonly allowedNetworks?: readonly string[];
  /**
   * Ports besides 443 and 8443 (and 80 in test); `any` allows all, but only in `allowedNetworks`.
   * @defaultValue none
   */
  readonly ports?: readonly number[] | 'any';
  /** PEM certificates of a private certificate authority. @defaultValue the machine's */
  readonly ca?: string;
  /**
   * Host names and public addresses of your own service, such as `api.example.com`. Endpoints there
   * are refused, and no webhook is sent to these addresses.
   * @defaultValue the addresses of this machine
   */
  readonly ownHosts?: readonly string[];
  /**
   * An HTTP proxy for all webhooks, `http://user:password@host:port`. The proxy decides which
   * addresses are allowed; the rules for URLs stay (docs/how-to/control-egress.md).
   * @defaultValue none; proxy variables of the environment are ignored
   */
  readonly proxy?: string;
}
