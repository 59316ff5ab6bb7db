import { type DeliveryQueue, DispatchHub } from '@paymount/core/events';
import type { DeliveryId } from '@paymount/core/kernel';
import { createPostgresStorage, type PostgresStorage } from '@paymount/storage-postgres';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { type ExplainingPool, explainingPool } from '../support/explaining-pool.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { percentile } from '../support/statistics.ts';
import { type Engine, makeEngine } from './engine.ts';

const LEASE_MS = 25_000;
const ENDPOINTS = 1_000;
const LIMITS = {
  perEndpoint: 4,
  perEndpointRelaxed: 32,
  perOrigin: 64,
  accountShare: 64,
  reserved: 0,
  aside: 0,
};

/** Deliveries of one event to each of these endpoints: so many of it, due `dueMs` from now. */
async function wait(
  { query, owner }: Engine,
  origin: 'event' | 'replay',
  { endpoints, each, dueMs }: { endpoints: string; each: number; dueMs: number },
): Promise<void> {
  await query(
    `INSERT INTO paymount.deliveries (account_id, livemode, id, event_id, endpoint_id, event_type,
       origin, state, attempt, due_at, created)
     SELECT $1, false, 'dlv_' || gen_random_uuid(), v.id, e.id, v.type, $2, 'pending', 1,
       now() + $4 * interval '1 ms', now()
     FROM (SELECT id, type FROM paymount.events ORDER BY id LIMIT $3) v,
       (SELECT id FROM paymount.webhook_endpoints WHERE id LIKE $5) e`,
    [owner.accountId, origin, each, dueMs, endpoints],
  );
}

describe('The order of deliveries when slots are scarce', () => {
  let engine: Engine;
  let receiver: Receiver;

  beforeEach(async () => {
    engine = await makeEngine();
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await engine.close();
    await receiver.close();
  });

  for (const slots of [1, 3]) {
    it(`is every fresh event at every endpoint, then replays, with slots for ${slots}`, async () => {
      for (let count = 0; count < 5; count += 1) await engine.endpoint(receiver.url);
      await engine.publish(5);
      await wait(engine, 'replay', { endpoints: '%', each: 5, dueMs: -60_000 });
      const limits = { fast: { ...LIMITS, slots, replays: 2 } };
      const { deliveries } = engine.postgres;
      const claimed: string[] = [];
      const counting: DeliveryQueue = {
        ...deliveries,
        async claimDue(claim) {
          const batch = await deliveries.claimDue(claim);
          claimed.push(...batch.deliveries.map(({ origin }) => origin));
          return batch;
        },
      };
      const worker = await engine.startWorker({ limits, deliveries: counting });
      await worker.drain();
      expect(claimed).to.deep.equal([...Array(25).fill('event'), ...Array(25).fill('replay')]);
      expect(receiver.requests).to.have.length(50);
    });
  }

  it('is a fresh event before the replays that wait at its endpoint', async function () {
    this.timeout(60_000);
    const replays = 200;
    receiver.otherwise({ status: 200, afterMs: 50 });
    const { id } = await engine.endpoint(receiver.url);
    await engine.publish();
    await engine.query('DELETE FROM paymount.deliveries');
    await engine.query(
      `INSERT INTO paymount.deliveries (account_id, livemode, id, event_id, endpoint_id, event_type,
         origin, state, attempt, due_at, created)
       SELECT v.account_id, v.livemode, 'dlv_' || gen_random_uuid(), v.id, $1, v.type, 'replay',
         'pending', 1, now() - interval '1 minute', now()
       FROM paymount.events v, generate_series(1, ${replays})`,
      [id],
    );
    const fast = { ...LIMITS, slots: 8, perEndpoint: 4, perEndpointRelaxed: 4, replays: 6 };
    const limits = { fast };
    await engine.startWorker({ limits, reconcile: true });
    // As the steps of a replay do, of which some wait for a slot at any time.
    const rows = await engine.query<{ id: DeliveryId }>('SELECT id FROM paymount.deliveries');
    const announcing = setInterval(() => engine.hub.announce(rows.map(({ id }) => id)), 20);
    await receiver.waitFor(4);
    // Made by a process without a worker, so that only the sweep finds it.
    const other = createPostgresStorage({
      connection: engine.databaseUrl,
      dispatch: new DispatchHub(),
      clock: engine.clock,
    });
    await engine.publish(1, other.storage);
    await other.close();
    await receiver.waitFor(replays + 1, 50_000).finally(() => clearInterval(announcing));
    const isReplay = receiver.requests.map(({ headers }) => headers['service-replay'] === 'true');
    expect(isReplay.indexOf(false)).to.be.within(4, replays / 2);
  });

  it('polls for replays every 0.8 s at most while there are none, however much is sent', async function () {
    this.timeout(40_000);
    const { deliveries } = engine.postgres;
    const asked = { event: 0, replay: 0 };
    const counting: DeliveryQueue = {
      ...deliveries,
      claimDue(claim) {
        if (claim.lane === 'fast') asked[claim.origin] += 1;
        return deliveries.claimDue(claim);
      },
    };
    // At most four slots of one endpoint are free each time.
    await engine.endpoint(receiver.url);
    await engine.publish(150);
    const limits = { fast: { ...LIMITS, slots: 64, perEndpointRelaxed: 4, replays: 2 } };
    const startedAt = performance.now();
    await engine.startWorker({ deliveries: counting, limits, reconcile: true });
    await receiver.waitFor(150, 30_000);
    const elapsedMs = performance.now() - startedAt;
    expect(asked.event).to.be.at.least(Math.ceil(150 / 4));
    expect(asked.replay).to.be.at.most(1 + elapsedMs / 800);
  });

  it('goes on at once when the last slot becomes free during a claim', async function () {
    this.timeout(30_000);
    await engine.endpoint(receiver.url);
    await engine.publish(60);
    receiver.otherwise(() => ({ status: 200, afterMs: (receiver.requests.length % 2) * 50 }));
    const { deliveries } = engine.postgres;
    let inFlight = (): number => 0;
    const gapsMs: number[] = [];
    let heldUntilMs: number | undefined;
    const slow: DeliveryQueue = {
      ...deliveries,
      async claimDue(claim) {
        const isFresh = claim.lane === 'fast' && claim.origin === 'event';
        if (isFresh && heldUntilMs !== undefined) gapsMs.push(performance.now() - heldUntilMs);
        if (isFresh) heldUntilMs = undefined;
        const batch = await deliveries.claimDue(claim);
        // The only endpoint has no free slot: the claim ends when all are.
        if (isFresh && claim.excluded.length > 0) {
          await eventually(inFlight, (count) => count === 0);
          heldUntilMs = performance.now();
        }
        return batch;
      },
    };
    const limits = { fast: { ...LIMITS, slots: 64, perEndpointRelaxed: 4, replays: 2 } };
    const worker = await engine.startWorker({ deliveries: slow, limits, reconcile: true });
    inFlight = () => worker.status().inFlight['fast'] ?? 0;
    await receiver.waitFor(60, 20_000);
    expect(percentile(gapsMs, 0.5), 'a poll comes after 800 ms').to.be.below(600);
  });
});

describe('What a claim costs', () => {
  let engine: Engine;
  let explaining: ExplainingPool;
  let postgres: PostgresStorage;

  before(async () => {
    engine = await makeEngine();
    explaining = explainingPool(engine.databaseUrl);
    const dispatch = new DispatchHub();
    postgres = createPostgresStorage({ connection: explaining.pool, dispatch });
    const { query } = engine;
    const { id } = await engine.endpoint('http://127.0.0.1:9/hook');
    await engine.publish(50);
    const columns = await query<{ name: string }>(
      `SELECT column_name AS name FROM information_schema.columns
         WHERE table_name = 'webhook_endpoints' AND column_name <> 'id'`,
    );
    const names = columns.map(({ name }) => name).join(', ');
    await query(
      `INSERT INTO paymount.webhook_endpoints (id, ${names})
         SELECT 'we_many' || n, ${names}
         FROM paymount.webhook_endpoints, generate_series(1, ${ENDPOINTS}) n WHERE id = $1`,
      [id],
    );
  });
  beforeEach(() => engine.query('TRUNCATE paymount.deliveries'));
  after(async () => {
    await postgres.close();
    await explaining.pool.end();
    await engine.close();
  });

  /** The most pages that a statement of the claim looks at, planned for its values or for any. */
  async function pages(origin: 'event' | 'replay', limit: number): Promise<number> {
    await engine.query('VACUUM ANALYZE paymount.deliveries, paymount.webhook_endpoints');
    const explained = await explaining.explain(() =>
      postgres.deliveries.claimDue({
        shiftMs: 0,
        origin,
        limit,
        leaseToken: 'explained',
        leaseMs: LEASE_MS,
        lane: 'fast',
        cursor: '',
        excluded: [],
        excludedAccounts: [],
        graceMs: 0,
      }),
    );
    return Math.max(...explained.map(({ blocks }) => blocks));
  }

  async function held(): Promise<unknown> {
    // A row that was locked or changed carries the transaction that did it.
    const [row] = await engine.query<object>(
      `SELECT (count(*) FILTER (WHERE lease_token IS NOT NULL))::integer AS leased,
         (count(*) FILTER (WHERE xmax::text <> '0'))::integer AS locked FROM paymount.deliveries`,
    );
    return row;
  }

  it('is almost nothing while nothing is due, whatever waits of the other origin', async () => {
    for (const [origin, other] of [
      ['event', 'replay'],
      ['replay', 'event'],
    ] as const) {
      await engine.query('TRUNCATE paymount.deliveries');
      await wait(engine, origin, { endpoints: 'we_many%', each: 1, dueMs: 3_600_000 });
      await wait(engine, other, { endpoints: 'we_many%', each: 5, dueMs: -1_000 });
      expect(await pages(origin, 128), origin).to.be.below(50);
    }
  });

  it('leaves replays out of what is overdue, as they wait for slots', async () => {
    const overdueMs = async (shiftMs: number) =>
      (await engine.postgres.deliveries.overdueMs(shiftMs)).fast;
    await wait(engine, 'replay', { endpoints: 'we_many%', each: 1, dueMs: -600_000 });
    expect(await overdueMs(60_000)).to.equal(0);
    await wait(engine, 'event', { endpoints: 'we_many7', each: 1, dueMs: 60_000 });
    expect(await overdueMs(120_000)).to.be.within(60_000, 300_000);
  });

  it('leaves out an endpoint while one of its deliveries is in progress: it is at its own limit', async () => {
    await engine.query('TRUNCATE paymount.deliveries');
    await wait(engine, 'event', { endpoints: 'we_many7', each: 5, dueMs: -600_000 });
    const overdueMs = async (shiftMs: number) =>
      (await engine.postgres.deliveries.overdueMs(shiftMs)).fast;
    expect(await overdueMs(0)).to.be.within(600_000, 700_000);
    await engine.query(
      `UPDATE paymount.deliveries SET lease_token = 'a', leased_at = now(),
        lease_until = now() + interval '25 s'
        WHERE id = (SELECT id FROM paymount.deliveries ORDER BY due_at LIMIT 1)`,
    );
    expect(await overdueMs(0)).to.equal(0);
    // The process that claimed it has died.
    expect(await overdueMs(26_000)).to.be.within(600_000, 800_000);
  });

  it('finds the most overdue of each lane behind any number that may not be sent', async () => {
    await engine.query('TRUNCATE paymount.deliveries');
    // More than a read by due time passes.
    const late = [
      ['we_many1%', 50, 'disabled', 'fast', -900_000],
      ['we_many2', 1, 'enabled', 'slow', -800_000],
      ['we_many3', 1, 'enabled', 'fast', -700_000],
    ] as const;
    for (const [endpoints, each, status, lane, dueMs] of late) {
      await engine.query(
        'UPDATE paymount.webhook_endpoints SET status = $2, lane = $3 WHERE id LIKE $1',
        [endpoints, status, lane],
      );
      await wait(engine, 'event', { endpoints, each, dueMs });
    }
    const { fast, slow } = await engine.postgres.deliveries.overdueMs(0);
    expect(fast).to.be.within(700_000, 790_000);
    expect(slow).to.be.within(800_000, 890_000);
    await engine.query(`UPDATE paymount.webhook_endpoints SET status = 'enabled', lane = 'fast'`);
  });

  it('is that of the rows it takes, at a thousand endpoints, and it locks no other', async () => {
    for (const origin of ['event', 'replay'] as const) {
      await engine.query('TRUNCATE paymount.deliveries');
      await wait(engine, origin, { endpoints: 'we_many%', each: 10, dueMs: -1_000 });
      // Up to 200 are read to learn their endpoints.
      expect(await pages(origin, 1), origin).to.be.below(300);
      expect(await held()).to.deep.equal({ leased: 1, locked: 1 });
    }
  });

  it('is that of four rows, or two replays, when 10,000 wait at one endpoint', async () => {
    await wait(engine, 'event', { endpoints: 'we_many7', each: 50, dueMs: -1_000 });
    for (let count = 0; count < 200; count += 1) {
      await wait(engine, 'replay', { endpoints: 'we_many7', each: 50, dueMs: -1_000 });
    }
    expect(await pages('event', 128)).to.be.below(300);
    expect(await held()).to.deep.equal({ leased: 4, locked: 4 });
    expect(await pages('replay', 64)).to.be.below(300);
    expect(await held()).to.deep.equal({ leased: 6, locked: 6 });
  });
});
