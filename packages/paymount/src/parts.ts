import type { AccountService, Guard, KeyService, KeySights, SealingKeys } from '@paymount/auth';
import type {
  Clock,
  CrashPoint,
  DispatchHub,
  Environment,
  Logger,
  OperationRunner,
  Processor,
  Queue,
  Resolver,
  Sealer,
  SettlementRules,
} from '@paymount/core';
import type { Api } from '@paymount/http';
import type { PostgresStorage } from '@paymount/storage-postgres';
import type { RedisConnections } from './adapters/redis.ts';
import type { PaymountOptions } from './options.ts';
import type { ServicePorts, Services } from './services.ts';
import type { FingerprintKey } from './stored-secrets.ts';

/** What is made before the container, because making it waits for files. */
export interface Settled {
  /** Without the sealing keys, which only `ring` holds. */
  readonly options: Omit<PaymountOptions, 'sealingKeys'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly ring: SealingKeys;
  readonly redis: RedisConnections | undefined;
}

/** The parts of one `createPaymount()`. */
export interface Parts extends Settled {
  readonly crashPoint: CrashPoint;
  /** Wakes the workers of other processes; absent without Redis. */
  readonly wakeUps: Queue | undefined;
  readonly dispatch: DispatchHub;
  readonly postgres: PostgresStorage;
  readonly processors: Readonly<Record<Environment, Processor>>;
  readonly rules: SettlementRules;
  readonly sealer: Sealer;
  readonly fingerprintKey: FingerprintKey;
  readonly guard: Guard;
  readonly accounts: AccountService;
  readonly keys: KeyService;
  readonly keySights: KeySights;
  readonly runner: OperationRunner;
  readonly resolver: Resolver;
  readonly servicePorts: ServicePorts;
  readonly services: Services;
  readonly api: Api;
}

/** Gives a part to the factory of another. */
export type Get = <Name extends keyof Parts>(name: Name) => Parts[Name];

/** How each part is made from others; what is settled beforehand is given. */
export type Factories = {
  readonly [Name in Exclude<keyof Parts, keyof Settled>]: (get: Get) => Parts[Name];
};
