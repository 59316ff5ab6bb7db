import 'reflect-metadata';
import {
  type AccountService,
  createAccountService,
  createGuard,
  createKeyService,
  type Guard,
  type KeyService,
  type SealingKeys,
  SecretBox,
} from '@paymount/auth';
import {
  type Clock,
  type CrashPoint,
  DispatchHub,
  type Environment,
  type Logger,
  noCrashPoint,
  OperationRunner,
  type Processor,
  type Queue,
  Resolver,
  type RunnerPorts,
  type Sealer,
  type SettlementRules,
} from '@paymount/core';
import { type Api, createApi } from '@paymount/http';
import { SandboxProcessor } from '@paymount/processor-sandbox';
import { createSigningSecret } from '@paymount/signature';
import { createPostgresStorage, type PostgresStorage } from '@paymount/storage-postgres';
import { announceThrough, createRetryQueue } from '@paymount/webhooks';
import {
  type DependencyContainer,
  type InjectionToken,
  instanceCachingFactory,
  container as root,
} from 'tsyringe';
import type { RedisConnections } from './adapters/redis.ts';
import { MissingProcessor } from './missing-processor.ts';
import type { PaymountOptions } from './options.ts';
import { bindServices, type ServicePorts, type Services, settlersOf } from './services.ts';
import { FingerprintKey } from './stored-secrets.ts';
import { urlJudge } from './url-judge.ts';

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
  readonly runner: OperationRunner;
  readonly resolver: Resolver;
  readonly servicePorts: ServicePorts;
  readonly services: Services;
  readonly api: Api;
}

type Part = keyof Parts;

const DEFAULT_AUTHORIZATION_DAYS = 7;
const tokens = new Map<Part, symbol>();

function tokenOf<Name extends Part>(name: Name): InjectionToken<Parts[Name]> {
  const known = tokens.get(name) ?? Symbol(name);
  tokens.set(name, known);
  return known;
}

/**
 * The composition root: every part is made by one factory here, from the parts before it, and
 * once for each `createPaymount()`. All are resolved before it returns, so faults show at boot.
 */
export function compose(settled: Settled): Parts {
  const container = root.createChildContainer();
  const get = <Name extends Part>(name: Name): Parts[Name] => container.resolve(tokenOf(name));
  const names: Part[] = [];
  const part = <Name extends Part>(name: Name, make: (get: Get) => Parts[Name]): void => {
    names.push(name);
    container.register(tokenOf(name), { useFactory: instanceCachingFactory(() => make(get)) });
  };
  registerSettled(part, settled);
  registerCore(part);
  registerFaces(part);
  return resolveAll(container, names);
}

type Get = <Name extends Part>(name: Name) => Parts[Name];
type Register = <Name extends Part>(name: Name, make: (get: Get) => Parts[Name]) => void;

function registerSettled(part: Register, settled: Settled): void {
  part('options', () => settled.options);
  part('clock', () => settled.clock);
  part('logger', () => settled.logger);
  part('ring', () => settled.ring);
  part('redis', () => settled.redis);
  part('crashPoint', () => settled.options.crashPoint ?? noCrashPoint);
}

function registerCore(part: Register): void {
  part('wakeUps', (get) => wakeUpsOf(get));
  part('dispatch', (get) => newDispatch(get('wakeUps')));
  part('postgres', (get) => openStorage(get('options'), get('dispatch'), get('clock')));
  part('processors', (get) => processorsOf(get('options'), get('postgres'), get('clock')));
  part('rules', (get) => rulesOf(get('options'), get('processors')));
  part('sealer', (get) => new SecretBox(get('ring')));
  part('fingerprintKey', () => new FingerprintKey());
  part('runner', (get) => new OperationRunner(runnerPorts(get)));
  part('resolver', (get) => new Resolver(runnerPorts(get), get('runner')));
  part('servicePorts', (get) => ({
    processors: get('processors'),
    runner: get('runner'),
    clock: get('clock'),
    sealer: get('sealer'),
    rules: get('rules'),
    refundOverdraft: get('options').refundOverdraft ?? 0,
    judgeUrl: urlJudge(get('options').egress),
    createSecret: createSigningSecret,
    crashPoint: get('crashPoint'),
  }));
  part('services', (get) => bindServices(get('servicePorts'), get('postgres').storage));
}

function registerFaces(part: Register): void {
  part('guard', (get) =>
    createGuard({
      credentials: get('postgres').credentials,
      clock: get('clock'),
      logger: get('logger'),
    }),
  );
  part('accounts', (get) =>
    createAccountService({ access: get('postgres').access, clock: get('clock') }),
  );
  part('keys', (get) => {
    const { issuerTag } = get('options');
    return createKeyService({
      access: get('postgres').access,
      keys: get('postgres').directory.keys,
      clock: get('clock'),
      ...(issuerTag === undefined ? {} : { issuerTag }),
    });
  });
  part('api', (get) =>
    createApi({
      ...get('services'),
      resolver: get('resolver'),
      idempotency: get('postgres').storage.idempotency,
      sealer: get('sealer'),
      clock: get('clock'),
      fingerprintKey: get('fingerprintKey'),
    }),
  );
}

function resolveAll(container: DependencyContainer, names: readonly Part[]): Parts {
  const get: Get = (name) => container.resolve(tokenOf(name));
  for (const name of names) get(name);
  return {
    options: get('options'),
    clock: get('clock'),
    logger: get('logger'),
    ring: get('ring'),
    fingerprintKey: get('fingerprintKey'),
    redis: get('redis'),
    crashPoint: get('crashPoint'),
    wakeUps: get('wakeUps'),
    dispatch: get('dispatch'),
    postgres: get('postgres'),
    processors: get('processors'),
    rules: get('rules'),
    sealer: get('sealer'),
    guard: get('guard'),
    accounts: get('accounts'),
    keys: get('keys'),
    runner: get('runner'),
    resolver: get('resolver'),
    servicePorts: get('servicePorts'),
    services: get('services'),
    api: get('api'),
  };
}

function openStorage(
  options: PaymountOptions,
  dispatch: DispatchHub,
  clock: Clock,
): PostgresStorage {
  const { schema, poolSize, directUrl, preparedStatements, hook } = options;
  return createPostgresStorage({
    connection: options.database,
    dispatch,
    clock,
    ...(schema === undefined ? {} : { schema }),
    ...(poolSize === undefined ? {} : { pool: { max: poolSize } }),
    ...(directUrl === undefined ? {} : { directUrl }),
    ...(preparedStatements === undefined ? {} : { preparedStatements }),
    ...(hook === undefined ? {} : { hook }),
  });
}

function processorsOf(options: PaymountOptions, postgres: PostgresStorage, clock: Clock) {
  return {
    live: options.processors?.live ?? new MissingProcessor(),
    test:
      options.processors?.test ??
      new SandboxProcessor({ ...options.sandbox, memory: postgres.operationMemory, clock }),
  };
}

function rulesOf(options: PaymountOptions, processors: Parts['processors']): SettlementRules {
  return {
    fees: options.fees ?? (() => ({ amount: 0, details: [] })),
    authorizationDays: (environment) =>
      processors[environment].capabilities.authorizationDays ?? DEFAULT_AUTHORIZATION_DAYS,
  };
}

function runnerPorts(get: Get): RunnerPorts {
  const { storage } = get('postgres');
  return {
    storage,
    processors: get('processors'),
    settlers: settlersOf(storage, get('rules')),
    clock: get('clock'),
    logger: get('logger'),
    crashPoint: get('crashPoint'),
  };
}

function wakeUpsOf(get: Get): Queue | undefined {
  const redis = get('redis');
  if (redis === undefined) return undefined;
  return createRetryQueue({
    client: redis.producer,
    schema: get('options').schema ?? 'paymount',
    logger: get('logger'),
    crashPoint: get('crashPoint'),
  });
}

/** While no worker runs in this process, first attempts wake the workers of others. */
function newDispatch(wakeUps: Queue | undefined): DispatchHub {
  return wakeUps === undefined ? new DispatchHub() : new DispatchHub(announceThrough(wakeUps));
}
