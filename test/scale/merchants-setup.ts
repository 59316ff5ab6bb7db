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
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { freshDatabase } from '../support/database.ts';
import { SILENT } from '../support/host.ts';
import { makeSealingKeys } from '../support/make.ts';
import { storeAccount } from '../support/store-account.ts';
import { type MerchantReceivers, openMerchantReceivers } from './merchant-receivers.ts';

const EGRESS = { allowedNetworks: ['127.0.0.0/8'], ports: 'any' } as const;

/** One account, with endpoints on servers of their own. */
export type Merchant = Owner & { readonly accountId: AccountId };

/** Many merchants whose receivers run in another process, and a worker with the times of production. */
export interface MerchantsSetup extends Pick<MerchantReceivers, 'arrivals' | 'setManners'> {
  readonly merchants: readonly Merchant[];
  /** Commits an event of this merchant. @param objectId what the event is about */
  publish(merchant: Merchant, objectId: string): Promise<void>;
  query<Row extends object>(sql: string): Promise<readonly Row[]>;
  close(): Promise<void>;
}

/**
 * Sets up merchants, all of whom answer. `close()` the setup.
 * @param endpoints of each merchant
 */
export async function openMerchantsSetup(endpoints: readonly number[]): Promise<MerchantsSetup> {
  const database = await freshDatabase();
  const clock = fakeClock();
  const hub = new DispatchHub();
  const postgres = createPostgresStorage({ connection: database.url, dispatch: hub, clock });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const receivers = await openMerchantReceivers(endpoints.reduce((sum, each) => sum + each, 0));
  const sealer = new SecretBox(new KeyRing(makeSealingKeys()));
  const merchants: Merchant[] = [];
  let first = 0;
  for (const count of endpoints) {
    const ports = receivers.ports.slice(first, first + count);
    merchants.push(await addMerchant(ports, { postgres, clock, sealer }));
    first += count;
  }
  const worker = await startWorker({
    deliveries: postgres.deliveries,
    dispatch: hub,
    sealer,
    clock,
    logger: SILENT,
    telemetry: noTelemetry,
    client: createDeliveryClient({ nowMs: () => Date.now(), ...EGRESS }),
  });
  return {
    merchants,
    arrivals: receivers.arrivals,
    setManners: receivers.setManners,
    async publish(owner, objectId) {
      const charge = { id: objectId, object: 'charge', amount: 4200 };
      const event = buildEvent({
        owner,
        type: 'charge.succeeded',
        objectVersion: 1,
        at: clock.now(),
        source: 'api',
        object: charge,
      });
      const change = { ...owner, at: clock.now(), writes: [], events: [event] };
      await postgres.storage.changes.apply(change);
    },
    query: async <Row extends object>(sql: string) => (await client.query<Row>(sql)).rows,
    async close() {
      // First, so that no send waits for an answer.
      await receivers.close();
      await worker.close();
      await client.end();
      await postgres.close();
      await database.drop();
    },
  };
}

async function addMerchant(
  ports: readonly number[],
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
    storage: postgres.storage,
    clock,
    sealer,
    createSecret: createSigningSecret,
    crashPoint: noCrashPoint,
    validateUrl: (url, environment) =>
      createUrlValidator({ environment, ...EGRESS, ownHosts: [] })(url),
  });
  for (const port of ports) {
    await service.create(
      { principal: { ...owner, kind: 'host', scopes: 'all' }, requestId: newId('req') },
      { url: `http://127.0.0.1:${port}/`, enabled_events: ['charge.*'] },
    );
  }
  return owner;
}
