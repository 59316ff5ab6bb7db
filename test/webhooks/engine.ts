import { KeyRing, SecretBox } from '@paymount/auth';
import { buildEvent, type Event } from '@paymount/core/changes';
import {
  type DeliveryQueue,
  type DeliveryState,
  DispatchHub,
  EndpointService,
} from '@paymount/core/events';
import {
  type AccountId,
  type CrashPoint,
  type EndpointId,
  type LogFacts,
  newId,
  noCrashPoint,
  noTelemetry,
  type Owner,
} from '@paymount/core/kernel';
import type { Storage } from '@paymount/core/store';
import { createPostgresStorage, type PostgresStorage } from '@paymount/storage-postgres';
import {
  createDeliveryClient,
  createUrlValidator,
  startWorker,
  type Worker,
  type WorkerOptions,
} from '@paymount/webhooks';
import { createSigningSecret } from 'paymount-receiver/internal';
import pg from 'pg';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { freshDatabase } from '../support/database.ts';
import { makeSealingKeys } from '../support/make.ts';
import { storeAccount } from '../support/store-account.ts';

const LOOPBACK = '127.0.0.0/8';

export interface EngineOptions {
  readonly redis?: WorkerOptions['redis'];
  /** @defaultValue false: only `drain()` claims, so that a test moves time itself */
  readonly reconcile?: boolean;
  readonly crashPoint?: CrashPoint;
  readonly limits?: WorkerOptions['limits'];
  readonly deadlineMs?: number;
  /** @defaultValue 3,000 */
  readonly slowAfterMs?: number;
  readonly proxy?: string;
  /** Called before signing secrets are opened. */
  readonly onOpen?: () => void;
  /** @defaultValue that of the engine's database */
  readonly deliveries?: DeliveryQueue;
}

export interface AttemptRow {
  readonly attempt: number;
  readonly outcome: string;
  readonly error_code: string | null;
  readonly response_status: number | null;
  readonly started_at: Date;
}

export interface DeliveryRow {
  readonly id: string;
  readonly state: DeliveryState;
  readonly attempt: number;
  readonly due_at: Date;
  readonly lease_token: string | null;
  readonly last_error: string | null;
  readonly last_status: number | null;
}

/** A delivery engine on a database of its own, with one merchant. */
export interface Engine {
  readonly owner: Owner & { readonly accountId: AccountId };
  readonly clock: FakeClock;
  readonly postgres: PostgresStorage;
  readonly databaseUrl: string;
  readonly hub: DispatchHub;
  /** Log lines so far, as `level: message`. */
  readonly lines: readonly (LogFacts & { readonly line: string })[];
  /** Another merchant. */
  account(): Promise<Engine['owner']>;
  /** @param owner the engine's merchant, or another one */
  endpoint(
    url: string,
    owner?: Engine['owner'],
  ): Promise<{ readonly id: EndpointId; readonly secret: string }>;
  /** Events that are not recorded yet. */
  makeEvents(count: number): readonly Event[];
  /**
   * Records events one by one.
   * @param bound storage joined to a transaction of the host's
   * @param owner the engine's merchant, or another one
   */
  publish(count?: number, bound?: Storage, owner?: Engine['owner']): Promise<readonly Event[]>;
  /** Starts another worker on the same database; closed with the engine. */
  startWorker(options?: EngineOptions): Promise<Worker>;
  attempts(): Promise<readonly AttemptRow[]>;
  deliveries(): Promise<readonly DeliveryRow[]>;
  query<Row extends object>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  close(): Promise<void>;
}

/** Makes an engine without a worker; `close()` it in `after`. */
export async function makeEngine(): Promise<Engine> {
  const database = await freshDatabase();
  const clock = fakeClock();
  const hub = new DispatchHub();
  const postgres = createPostgresStorage({ connection: database.url, dispatch: hub, clock });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const accountId = newId('acct');
  await storeAccount(postgres, accountId, clock.now());
  const owner = { accountId, environment: 'test' } as const;
  const sealer = new SecretBox(new KeyRing(makeSealingKeys()));
  const lines: (LogFacts & { line: string })[] = [];
  const workers: Worker[] = [];
  const query: Engine['query'] = async <Row extends object>(
    sql: string,
    values: readonly unknown[] = [],
  ) => (await client.query<Row>(sql, [...values])).rows;

  return {
    owner,
    clock,
    postgres,
    databaseUrl: database.url,
    hub,
    lines,
    query,
    async account() {
      const id = newId('acct');
      await storeAccount(postgres, id, clock.now());
      return { accountId: id, environment: 'test' };
    },
    endpoint: (url, of = owner) => register(url, { owner: of, clock, sealer, postgres }),
    makeEvents: (count) => makeEvents(count, owner, clock),
    async publish(count = 1, bound = postgres.storage, of = owner) {
      const events = makeEvents(count, of, clock);
      for (const event of events) {
        await bound.changes.apply({ ...of, at: clock.now(), writes: [], events: [event] });
      }
      return events;
    },
    async startWorker(options = {}) {
      const { redis, crashPoint, limits, proxy, deadlineMs = 2_000, slowAfterMs } = options;
      const log = (level: string) => (facts: LogFacts, message: string) =>
        void lines.push({ ...facts, line: `${level}: ${message}` });
      const worker = await startWorker({
        deliveries: options.deliveries ?? postgres.deliveries,
        dispatch: hub,
        sealer: {
          seal: (...given) => sealer.seal(...given),
          open: (...given) => {
            options.onOpen?.();
            return sealer.open(...given);
          },
        },
        clock,
        reconcile: options.reconcile ?? false,
        logger: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
        telemetry: noTelemetry,
        client: createDeliveryClient({
          nowMs: () => clock.now().getTime(),
          allowedNetworks: [LOOPBACK],
          ports: 'any',
          deadlineMs,
          ...(slowAfterMs !== undefined && { slowAfterMs }),
          ...(proxy && { proxy }),
          ...(crashPoint && { crashPoint }),
        }),
        ...(redis && { redis }),
        ...(limits && { limits }),
        ...(crashPoint && { crashPoint }),
      });
      workers.push(worker);
      return worker;
    },
    attempts: () =>
      query<AttemptRow>('SELECT * FROM paymount.delivery_attempts ORDER BY started_at, id'),
    deliveries: () => query<DeliveryRow>('SELECT * FROM paymount.deliveries ORDER BY id'),
    async close() {
      await Promise.all(workers.map((worker) => worker.close()));
      await postgres.close();
      await client.end();
      await database.drop();
    },
  };
}

interface Merchant {
  readonly owner: Engine['owner'];
  readonly clock: FakeClock;
  readonly postgres: PostgresStorage;
}

async function register(url: string, merchant: Merchant & { readonly sealer: SecretBox }) {
  const { owner, clock, sealer, postgres } = merchant;
  const service = new EndpointService({
    storage: postgres.storage,
    clock,
    sealer,
    createSecret: createSigningSecret,
    crashPoint: noCrashPoint,
    validateUrl: (input, environment) =>
      createUrlValidator({ environment, allowedNetworks: [LOOPBACK], ports: 'any', ownHosts: [] })(
        input,
      ),
  });
  const principal = { ...owner, kind: 'host', scopes: 'all' } as const;
  const { endpoint, secret } = await service.create(
    { principal, requestId: newId('req') },
    { url, enabled_events: ['charge.*'] },
  );
  return { id: endpoint.id, secret };
}

function makeEvents(count: number, owner: Owner, clock: FakeClock): readonly Event[] {
  return Array.from({ length: count }, () => {
    const charge = { id: newId('ch'), object: 'charge', amount: 4200, note: 'café 😀' };
    return buildEvent({
      owner,
      object: charge,
      type: 'charge.succeeded',
      objectVersion: 1,
      at: clock.now(),
      source: 'api',
    });
  });
}
