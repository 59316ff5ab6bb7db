import type { AccessChangeNotifier } from '../access/access-change-notifier.ts';
import type { AccessRepositories, AccessStorage } from '../access/access-storage.ts';
import type { AccountDirectory } from '../access/accounts/account-repository.ts';
import type {
  CredentialReader,
  KeyDirectory,
  KeyUsageRepository,
} from '../access/keys/key-repository.ts';
import type { LeakDirectory } from '../access/leaks/leak-repository.ts';
import type { BillingQueues } from '../billing/billing-works.ts';
import type { InvoiceDirectory } from '../billing/invoices/invoice-repository.ts';
import type { SubscriptionDirectory } from '../billing/subscriptions/subscription-repository.ts';
import type { AuditDirectory } from '../changes/audit/audit-repository.ts';
import type { EventDirectory, EventQueue } from '../changes/events/event-repository.ts';
import type { MailQueue } from '../changes/mails/mail-repository.ts';
import type { DeliveryNotifier } from '../events/deliveries/delivery-notifier.ts';
import type { DeliveryDirectory, DeliveryQueue } from '../events/deliveries/delivery-repository.ts';
import type {
  EndedAccessQueue,
  EndpointDirectory,
  EndpointSecretReader,
} from '../events/endpoints/endpoint-repository.ts';
import type { ReplayDirectory, ReplayQueue } from '../events/replays/replay-repository.ts';
import type { ExpungeDirectory, ExpungeQueue } from '../expunging/expunge-repository.ts';
import type { SealedRowRepository } from '../kernel/secrets/sealed-row-repository.ts';
import type { Difference, VerifyOptions } from '../ledger/difference.ts';
import type {
  ConnectedApplicationReader,
  GrantDirectory,
} from '../oauth/grants/grant-repository.ts';
import type { OpenInteractionRepository } from '../oauth/interactions/interaction-repository.ts';
import type { OAuthRepositories } from '../oauth/oauth-storage.ts';
import type { PlatformDirectory } from '../oauth/platforms/platform-repository.ts';
import type { OAuthTokenQueue, OAuthTokenReader } from '../oauth/tokens/token-repository.ts';
import type {
  BankAccountDirectory,
  UnannouncedDestinationQueue,
} from '../payments/bank-accounts/bank-account-repository.ts';
import type { DisputeDirectory } from '../payments/disputes/dispute-repository.ts';
import type { FileUploadQueue } from '../payments/files/file-repository.ts';
import type { FileStore } from '../payments/files/file-store.ts';
import type { NoticeDirectory, NoticeQueue } from '../payments/notices/notice-repository.ts';
import type {
  OperationDirectory,
  OperationMemoryRepository,
  PlannedNoticeQueue,
} from '../payments/operations/operation-repository.ts';
import type {
  PaymentMethodQueue,
  TokenQueue,
} from '../payments/payment-methods/payment-method-repository.ts';
import type { SettlementDifferenceDirectory } from '../payments/settlements/settlement-repository.ts';
import type {
  TestClockDirectory,
  TestClockQueue,
} from '../payments/test-clocks/test-clock-repository.ts';
import type { ExportQueue } from './exports/export-repository.ts';
import type { HookUseRepository } from './hook-use-repository.ts';
import type { StateReader } from './state/state-repository.ts';
import type { Storage } from './storage.ts';

/** Reads for admins, across accounts. */
export interface Directories {
  readonly accounts: AccountDirectory;
  readonly keys: KeyDirectory;
  readonly leaks: LeakDirectory;
  readonly platforms: PlatformDirectory;
  readonly grants: GrantDirectory;
  readonly connectedApplications: ConnectedApplicationReader;
  readonly endpointSecrets: EndpointSecretReader;
  readonly endpoints: EndpointDirectory;
  readonly deliveries: DeliveryDirectory;
  readonly events: EventDirectory;
  readonly replays: ReplayDirectory;
  readonly expunges: ExpungeDirectory;
  readonly operations: OperationDirectory;
  readonly bankAccounts: BankAccountDirectory;
  readonly disputes: DisputeDirectory;
  readonly notices: NoticeDirectory;
  readonly settlementDifferences: SettlementDifferenceDirectory;
  readonly testClocks: TestClockDirectory;
  readonly subscriptions: SubscriptionDirectory;
  readonly invoices: InvoiceDirectory;
  readonly audit: AuditDirectory;
}

/** All data of one installation, as a storage adapter opens it. */
export interface Stores {
  /** Payments and related data. */
  readonly storage: Storage;
  /**
   * The same, joined to a transaction that the host commits or rolls back. Concurrent calls run one
   * after another, and each refused call is rolled back on its own.
   * @throws TypeError for a value that is not a transaction of the adapter's kind
   */
  using(transaction: unknown): Storage;
  /** Claims deliveries for this process, and closes attempts. */
  readonly deliveries: DeliveryQueue;
  /** Wakes the workers of other processes for first attempts; absent if the store cannot. */
  readonly deliveryNotifier?: DeliveryNotifier;
  /** What is deleted after a time, for hosts that keep a copy of it. */
  readonly exports: ExportQueue;
  /** The events that workers delete. */
  readonly events: EventQueue;
  /** Replays that workers advance. */
  readonly replays: ReplayQueue;
  /** Requests to expunge events, which workers work off. */
  readonly expunges: ExpungeQueue;
  /** The queries of the guard, on separate connections. */
  readonly credentials: CredentialReader;
  /** Notifies of changes of access in any process; absent if the store cannot. */
  readonly accessChangeNotifier?: AccessChangeNotifier;
  /** The only way to change permissions. */
  readonly access: AccessStorage<AccessRepositories & OAuthRepositories>;
  /** Credentials whose access ended, and the endpoints that end with them. */
  readonly endedAccess: EndedAccessQueue;
  /** Bank accounts that processes of an earlier version added or made the default. */
  readonly unannounced: UnannouncedDestinationQueue;
  /** Reads for admins, across accounts. */
  readonly directory: Directories;
  /** Requests of platforms that wait for the answer of a user. */
  readonly interactions: OpenInteractionRepository;
  /** The tokens of platforms. */
  readonly oauthTokens: OAuthTokenReader & OAuthTokenQueue;
  /** Cards and bank accounts that pay. */
  readonly paymentMethods: PaymentMethodQueue;
  /** The tokens of cards and bank accounts. */
  readonly tokens: TokenQueue;
  /** The usage of keys. */
  readonly usage: KeyUsageRepository;
  /** The e-mails to be sent. */
  readonly mails: MailQueue;
  /** The contents of files, unless the host has a store of its own for them. */
  readonly fileContents: FileStore;
  /** Uploads of files that are in progress. */
  readonly fileUploads: FileUploadQueue;
  /** Whether the host has a hook for results; known to all processes. */
  readonly hookUse: HookUseRepository;
  /** What an operator must know of the stored data. */
  readonly state: StateReader;
  /** What processors report, which workers apply. */
  readonly notices: NoticeQueue;
  /** The operations of the test-mode processor. */
  readonly operationMemory: OperationMemoryRepository;
  /** What becomes due in billing. */
  readonly billing: BillingQueues;
  /** Test clocks that advance. */
  readonly testClocks: TestClockQueue;
  /** What the test-mode processor sends later. */
  readonly plannedNotices: PlannedNoticeQueue;
  /**
   * Checks that money, states and events agree.
   * @returns the differences, at most 100 of each rule; empty if everything agrees
   */
  verify(options?: VerifyOptions): Promise<readonly Difference[]>;
  /**
   * Checks at startup that this version can use the stored data.
   * @throws SchemaError if it cannot; the message says what to do
   */
  assertSchema(): Promise<void>;
  /**
   * Connects for key look-ups: they wait at most 250 ms, so no request should wait for a
   * connection.
   */
  warm(): Promise<void>;
  /** The sealed values, to check at startup whether they open, and to reseal them. */
  readonly sealed: SealedRowRepository;
  /** Closes the connections that were opened here, never the host's. Safe to call twice. */
  close(): Promise<void>;
}
