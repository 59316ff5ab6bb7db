import type {
  ClientAddresses,
  Guard,
  Limits,
  SealingKeys,
  TlsCheck,
  UsageRecorder,
} from '@paymount/auth';
import type {
  AccountService,
  KeyService,
  KeyViews,
  LeakService,
  LeakSource,
  UrlLeaks,
} from '@paymount/core/access';
import type { BillingSubjects, BillingWorks, ReminderPorts } from '@paymount/core/billing';
import type { Mailer } from '@paymount/core/changes';
import type { DispatchHub, RetryQueue } from '@paymount/core/events';
import type { Clock, CrashPoint, Environment, Logger, Sealer } from '@paymount/core/kernel';
import type {
  ConnectedApplications,
  GrantService,
  InteractionService,
  PlatformService,
  TokenService,
} from '@paymount/core/oauth';
import type {
  ClockWork,
  NoticeInbox,
  NoticeService,
  OperationRunner,
  OperationService,
  PaymentRules,
  Processor,
  Resolver,
} from '@paymount/core/payments';
import type { StorageAdapter, Stores } from '@paymount/core/store';
import type { Api, BytesInFlight } from '@paymount/http';
import type { AdminApi, CheckHealth, Management } from '@paymount/management';
import type { OAuthApi } from '@paymount/oauth';
import type { ProcessTelemetry } from '../adapters/process-telemetry.ts';
import type { RedisConnections } from '../adapters/redis.ts';
import type { ReadInvoiceSettings } from '../options/invoice-settings.ts';
import type { PaymountOptions, PaymountStorageOptions } from '../options/options.ts';
import type { AccessChangeNotifications } from './access-change-notifications.ts';
import type { Endings } from './endings.ts';
import type { HookAnnouncement } from './hook-announcement.ts';
import type { InvoiceLinks } from './invoice-links.ts';
import type { PdfPrinters } from './pdf-printers.ts';
import type { RunningWorkers } from './running-workers.ts';
import type { ServicePorts, Services } from './services.ts';
import type { FingerprintKey } from './stored-secrets.ts';

/** Parts that are created before the container, because that is asynchronous. */
export interface BootParts {
  /** Without the sealing keys, which only `ring` contains. */
  readonly options: Omit<PaymountOptions | PaymountStorageOptions, 'sealingKeys'>;
  readonly adapter: StorageAdapter;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly telemetry: ProcessTelemetry;
  readonly ring: SealingKeys;
  readonly redis: RedisConnections | undefined;
  /** If absent, e-mails wait in the outbox. */
  readonly mailer: Mailer | undefined;
}

/** The parts of one `createPaymount()`. */
export interface Parts extends BootParts {
  readonly crashPoint: CrashPoint;
  /** Wakes the workers of other processes through Redis; absent without it. */
  readonly wakeUps: RetryQueue | undefined;
  readonly dispatch: DispatchHub;
  readonly stores: Stores;
  /** Where files are, and which uploads are in progress. */
  readonly files: ServicePorts['files'];
  readonly processors: Readonly<Record<Environment, Processor>>;
  readonly rules: PaymentRules;
  readonly sealer: Sealer;
  readonly fingerprintKey: FingerprintKey;
  readonly invoiceSettings: ReadInvoiceSettings;
  readonly invoiceLinks: InvoiceLinks;
  /** Draws the PDFs of invoices; starts with the first mount of their pages. */
  readonly pdfs: PdfPrinters;
  readonly clients: ClientAddresses;
  readonly tls: TlsCheck;
  readonly limits: Limits;
  /** What requests have in memory. */
  readonly bytes: BytesInFlight;
  readonly guard: Guard;
  /** Of the endpoints that depend on ended access. */
  readonly endings: Endings;
  /** The only way to change permissions; endpoints that depend on ended access end, too. */
  readonly access: Stores['access'];
  readonly accessChangeNotifications: AccessChangeNotifications;
  readonly hookAnnouncement: HookAnnouncement;
  /** The usage of keys. */
  readonly usage: UsageRecorder;
  readonly accounts: AccountService;
  readonly keys: KeyService;
  readonly platforms: PlatformService;
  readonly grants: GrantService;
  readonly interactions: InteractionService;
  readonly connectedApplications: ConnectedApplications;
  readonly tokens: TokenService;
  readonly oauth: OAuthApi;
  readonly leaks: LeakService;
  readonly urlLeaks: UrlLeaks;
  /** By name. */
  readonly leakSources: ReadonlyMap<string, LeakSource>;
  readonly keyViews: KeyViews;
  readonly runner: OperationRunner;
  readonly resolver: Resolver;
  readonly subjects: BillingSubjects;
  /** What becomes due in billing, and what does it. */
  readonly billingWorks: BillingWorks;
  /** What customers are reminded of. */
  readonly reminders: ReminderPorts;
  /** What processors report without being asked. */
  readonly noticeInbox: NoticeInbox;
  /** What becomes due on test clocks. */
  readonly clockWorks: readonly ClockWork[];
  /** The decisions of people about notices. */
  readonly notices: NoticeService;
  /** The decisions of people about operations. */
  readonly operations: OperationService;
  readonly servicePorts: ServicePorts;
  readonly services: Services;
  readonly api: Api;
  readonly management: Management;
  /** The API of the dashboard. */
  readonly dashboard: AdminApi;
  readonly checkHealth: CheckHealth;
  /** Those of this process. */
  readonly workers: RunningWorkers;
}

/** Returns a part, for the factory of another one. */
export type Get = <Name extends keyof Parts>(name: Name) => Parts[Name];

/** The factory of each part; parts that were created earlier are passed in. */
export type Factories = {
  readonly [Name in Exclude<keyof Parts, keyof BootParts>]: (get: Get) => Parts[Name];
};
