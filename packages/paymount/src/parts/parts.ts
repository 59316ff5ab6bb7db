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
import type { Mailer } from '@paymount/core/changes';
import type { DispatchHub, RetryQueue } from '@paymount/core/events';
import type { Clock, CrashPoint, Environment, Logger, Sealer } from '@paymount/core/kernel';
import type {
  OperationRunner,
  OperationService,
  Processor,
  Resolver,
  SettlementRules,
  Settlers,
} from '@paymount/core/payments';
import type { StorageAdapter, Stores } from '@paymount/core/store';
import type { Api } from '@paymount/http';
import type { Management } from '@paymount/management';
import type { RedisConnections } from '../adapters/redis.ts';
import type { PaymountOptions, PaymountStorageOptions } from '../options/options.ts';
import type { AccessChangeNotifications } from './access-change-notifications.ts';
import type { HookAnnouncement } from './hook-announcement.ts';
import type { ServicePorts, Services } from './services.ts';
import type { FingerprintKey } from './stored-secrets.ts';

/** What is made before the container, because making it waits for files. */
export interface BootParts {
  /** Without the sealing keys, which only `ring` holds. */
  readonly options: Omit<PaymountOptions | PaymountStorageOptions, 'sealingKeys'>;
  readonly adapter: StorageAdapter;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly ring: SealingKeys;
  readonly redis: RedisConnections | undefined;
  /** Absent: mails wait in the outbox. */
  readonly mailer: Mailer | undefined;
}

/** The parts of one `createPaymount()`. */
export interface Parts extends BootParts {
  readonly crashPoint: CrashPoint;
  /** Wakes the workers of other processes; absent without Redis. */
  readonly wakeUps: RetryQueue | undefined;
  readonly dispatch: DispatchHub;
  readonly stores: Stores;
  readonly processors: Readonly<Record<Environment, Processor>>;
  readonly rules: SettlementRules;
  readonly sealer: Sealer;
  readonly fingerprintKey: FingerprintKey;
  readonly clients: ClientAddresses;
  readonly tls: TlsCheck;
  readonly limits: Limits;
  readonly guard: Guard;
  readonly accessChangeNotifications: AccessChangeNotifications;
  readonly hookAnnouncement: HookAnnouncement;
  /** What keys are used for. */
  readonly usage: UsageRecorder;
  readonly accounts: AccountService;
  readonly keys: KeyService;
  readonly leaks: LeakService;
  readonly urlLeaks: UrlLeaks;
  /** By name. */
  readonly leakSources: ReadonlyMap<string, LeakSource>;
  readonly keyViews: KeyViews;
  readonly runner: OperationRunner;
  readonly resolver: Resolver;
  readonly settlers: Settlers;
  /** What people decide about operations. */
  readonly operations: OperationService;
  readonly servicePorts: ServicePorts;
  readonly services: Services;
  readonly api: Api;
  readonly management: Management;
}

/** Gives a part to the factory of another. */
export type Get = <Name extends keyof Parts>(name: Name) => Parts[Name];

/** How each part is made from others; what is settled beforehand is given. */
export type Factories = {
  readonly [Name in Exclude<keyof Parts, keyof BootParts>]: (get: Get) => Parts[Name];
};
