import { fork } from 'node:child_process';
import { once } from 'node:events';
import { KeyRing, SecretBox } from '@paymount/auth';
import { buildEvent } from '@paymount/core/changes';
import { DispatchHub, EndpointService } from '@paymount/core/events';
import {
  type AccountId,
  newId,
  noCrashPoint,
  noTelemetry,
  type Owner,
} from '@paymount/core/kernel';
import { createPostgresStorage, type PostgresStorage } from '@paymount/storage-postgres';
import { createDeliveryClient, createUrlValidator, startWorker } from '@paymount/webhooks';
import { createSigningSecret } from 'paymount-receiver/internal';
import pg from 'pg';
import { childProgram } from '../support/child-program.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { freshDatabase } from '../support/database.ts';
import { SILENT } from '../support/host.ts';
import { makeSealingKeys } from '../support/make.ts';
import { storeAccount } from '../support/store-account.ts';
import type { Arrival, Manner, MannersMessage } from './merchant-receivers-process.ts';

const PROGRAM = new URL('merchant-receivers-process.ts', import.meta.url);
const EGRESS = { allowedNetworks: ['127.0.0.0/8'], ports: 'any' } as const;

/** One account with one endpoint on a server of its own. */
export type Merchant = Owner & { readonly accountId: AccountId };

/** Many merchants whose receivers run in another process, and a worker with the times of production. */
export interface MerchantsStage {
  readonly merchants: readonly Merchant[];
  /** When each object arrived first, `process.hrtime` in ms; reported within 0.1 s. */
  readonly arrivals: ReadonlyMap<string, number>;
  /** What the receivers do from now on, in the order of the merchants. */
  setManners(manners: readonly Manner[]): void;
  /** Commits an event of this merchant. @param objectId what the event is about */
  publish(merchant: Merchant, objectId: string): Promise<void>;
  query<Row extends object>(sql: string): Promise<readonly Row[]>;
  close(): Promise<void>;
}

/** Sets up so many merchants, all of whom answer. `close()` the stage. */
export async function openMerchantsStage(count: number): Promise<MerchantsStage> {
  const database = await freshDatabase();
  const clock = fakeClock();
  const hub = new DispatchHub();
  const postgres = createPostgresStorage({ connection: database.url, dispatch: hub, clock });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const receivers = fork(await childProgram(PROGRAM), [String(count)], { execArgv: [] });
  const [ports] = (await once(receivers, 'message')) as [number[]];
  const arrivals = new Map<string, number>();
  receivers.on('message', (some: readonly Arrival[]) => {
    for (const [id, atMs] of some) if (!arrivals.has(id)) arrivals.set(id, atMs);
  });
  const sealer = new SecretBox(new KeyRing(makeSealingKeys()));
  const merchants: Merchant[] = [];
  for (const port of ports) merchants.push(await addMerchant(port, { postgres, clock, sealer }));
  const worker = await startWorker({
    ...{ deliveries: postgres.deliveries, dispatch: hub, sealer, clock },
    ...{ logger: SILENT, telemetry: noTelemetry },
    client: createDeliveryClient({ nowMs: () => Date.now(), ...EGRESS }),
  });
  return {
    merchants,
    arrivals,
    setManners: (manners) => void receivers.send({ manners } satisfies MannersMessage),
    async publish(owner, objectId) {
      const event = buildEvent({
        ...{ owner, type: 'charge.succeeded', objectVersion: 1, at: clock.now(), source: 'api' },
        object: { id: objectId, ...{ object: 'charge', amount: 4200 } },
      });
      const change = { ...owner, at: clock.now(), writes: [], events: [event] };
      await postgres.storage.changes.apply(change);
    },
    query: async <Row extends object>(sql: string) => (await client.query<Row>(sql)).rows,
    async close() {
      // First, so that no send waits for an answer.
      const exited = once(receivers, 'exit');
      receivers.disconnect();
      await exited;
      await worker.close();
      await client.end();
      await postgres.close();
      await database.drop();
    },
  };
}

async function addMerchant(
  port: number,
  {
    postgres,
    clock,
    sealer,
  }: {
    readonly postgres: PostgresStorage;
    readonly clock: FakeClock;
    readonly sealer: SecretBox;
  },
): Promise<Merchant> {
  const accountId = newId('acct');
  await storeAccount(postgres, accountId, clock.now());
  const owner = { accountId, environment: 'test' } as const;
  const service = new EndpointService({
    ...{ storage: postgres.storage, clock, sealer, createSecret: createSigningSecret },
    crashPoint: noCrashPoint,
    validateUrl: (url, environment) =>
      createUrlValidator({ environment, ...EGRESS, ownHosts: [] })(url),
  });
  await service.create(
    { principal: { ...owner, kind: 'host', scopes: 'all' }, requestId: newId('req') },
    { url: `http://127.0.0.1:${port}/`, enabled_events: ['charge.*'] },
  );
  return owner;
}
