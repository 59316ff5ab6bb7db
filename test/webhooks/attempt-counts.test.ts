import { DispatchHub } from '@paymount/core/events';
import { createPostgresStorage, type PostgresStorage } from '@paymount/storage-postgres';
import { expect } from 'chai';
import { withClient } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type Engine, makeEngine } from './engine.ts';

const EVENTS = 2;
const COUNTERS = 2;
const LEASE_MS = 30_000;
const GROUP = 'endpoint_id, event_type, outcome, error, status_class';

/** The log itself, counted at once. */
const LOGGED = `SELECT date_trunc($1, started_at, 'UTC') AS starts_at, endpoint_id, event_type, outcome,
    COALESCE(error_code, '') AS error, COALESCE(response_status, 0) / 100 AS status_class,
    count(*)::integer AS attempts,
    (count(*) FILTER (WHERE outcome = 'succeeded' OR outcome = 'failed' AND attempt = 8))::integer
      AS ended, sum(duration_ms)::integer AS duration_ms
  FROM paymount.delivery_attempts GROUP BY starts_at, ${GROUP} ORDER BY starts_at, ${GROUP}`;
const COUNTED = `SELECT starts_at, ${GROUP}, attempts::integer, ended::integer, duration_ms::integer
  FROM paymount.delivery_counts WHERE "interval" = $1 ORDER BY starts_at, ${GROUP}`;

describe('The counts of attempts', function () {
  this.timeout(60_000);
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

  async function expectExact(attempts: number): Promise<void> {
    for (const interval of ['hour', 'day']) {
      const logged = await engine.query<{ attempts: number }>(LOGGED, [interval]);
      expect(await engine.query(COUNTED, [interval]), interval).to.deep.equal(logged);
      const total = logged.reduce((sum, row) => sum + row.attempts, 0);
      expect(total).to.equal(attempts);
    }
  }

  const countAll = async ({ deliveries }: PostgresStorage): Promise<void> => {
    while (await deliveries.countAttempts(engine.clock.now()));
  };

  it('equal the log while several workers send and several processes count', async () => {
    receiver.otherwise(({ path }) => (path === '/bad' ? 500 : 200));
    await engine.endpoint(`${receiver.url}/good`);
    await engine.endpoint(`${receiver.url}/bad`);
    const workers = [await engine.startWorker(), await engine.startWorker()];
    const others = Array.from({ length: COUNTERS }, () =>
      createPostgresStorage({ connection: engine.databaseUrl, dispatch: new DispatchHub() }),
    );
    const counters = [engine.postgres, ...others];
    try {
      // Eight attempts and one more, over five days.
      for (const hours of [0, 1, 1, 3, 7, 13, 25, 49, 0]) {
        engine.clock.advance(hours * 3_600_000);
        await engine.publish(EVENTS);
        await Promise.all([
          ...workers.map((worker) => worker.drain()),
          ...counters.map((postgres) => postgres.deliveries.countAttempts(engine.clock.now())),
        ]);
      }
      await Promise.all(workers.map((worker) => worker.drain()));
      await countAll(engine.postgres);
      const [log] = await engine.query<{ count: number }>(
        'SELECT count(*)::integer AS count FROM paymount.delivery_attempts',
      );
      const ended = await engine.query(
        `SELECT sum(ended)::integer AS failed FROM paymount.delivery_counts
         WHERE "interval" = 'day' AND outcome = 'failed'`,
      );
      const failed = await engine.query(
        `SELECT count(*)::integer AS failed FROM paymount.deliveries WHERE state = 'failed'`,
      );
      expect(log?.count).to.be.above(EVENTS * 8);
      expect(ended).to.deep.equal(failed);
      await expectExact(log?.count ?? 0);
    } finally {
      await Promise.all(others.map((postgres) => postgres.close()));
    }
  });

  it('have the attempt of a worker that died, once its delivery is taken over', async () => {
    await engine.endpoint(receiver.url);
    await engine.publish();
    const claim = {
      shiftMs: 0,
      limit: 10,
      cursor: '',
      excluded: [],
      excludedAccounts: [],
    } as const;
    await engine.postgres.deliveries.claimDue({
      ...claim,
      origin: 'event',
      lane: 'fast',
      leaseToken: 'died',
      leaseMs: 25_000,
      graceMs: 0,
    });
    await countAll(engine.postgres);
    engine.clock.advance(LEASE_MS);
    const worker = await engine.startWorker();
    await worker.drain();
    await countAll(engine.postgres);
    const outcomes = (await engine.attempts()).map(({ outcome }) => outcome);
    expect(outcomes.toSorted()).to.deep.equal(['succeeded', 'unknown']);
    await expectExact(2);
  });

  it('are whole after a process that counted was killed at the end of its transaction', async () => {
    await engine.endpoint(receiver.url);
    const worker = await engine.startWorker();
    await engine.publish(2);
    await worker.drain();
    await withClient(engine.databaseUrl, async (client) => {
      // It has written the hour, and waits before it sums the day.
      await client.query('BEGIN');
      await client.query(
        `INSERT INTO paymount.delivery_counts SELECT endpoint_id, 'day',
           date_trunc('day', started_at, 'UTC'), event_type, outcome, '', 2, 1, 1, 0
         FROM paymount.delivery_attempts LIMIT 1`,
      );
      const counting = engine.postgres.deliveries.countAttempts(engine.clock.now());
      counting.catch(() => undefined);
      const blocked = `SELECT pid FROM pg_stat_activity WHERE datname = current_database()
        AND wait_event_type = 'Lock'`;
      const [row] = await eventually(
        () => engine.query<{ pid: number }>(blocked),
        ({ length }) => length === 1,
        10_000,
      );
      await engine.query('SELECT pg_terminate_backend($1::integer)', [row?.pid]);
      await counting.then(
        () => expect.fail('The counting process was not killed.'),
        () => undefined,
      );
      await client.query('ROLLBACK');
    });
    expect(await engine.query(COUNTED, ['hour'])).to.deep.equal([]);
    await countAll(engine.postgres);
    await expectExact(2);
  });

  it('stay when the log of their day is dropped, until their own time is over', async () => {
    await engine.endpoint(receiver.url);
    const worker = await engine.startWorker();
    await engine.publish(2);
    await worker.drain();
    const { deliveries } = engine.postgres;
    await countAll(engine.postgres);
    const first = engine.clock.now();
    engine.clock.advance(40 * 86_400_000);
    await deliveries.dropPartitions(engine.clock.now());
    await countAll(engine.postgres);
    const left = async (): Promise<readonly unknown[]> =>
      (
        await engine.query<{ interval: string; attempts: number }>(
          'SELECT "interval", attempts::integer FROM paymount.delivery_counts ORDER BY "interval"',
        )
      ).map(({ interval, attempts }) => `${interval} ${attempts}`);
    expect(await engine.attempts()).to.deep.equal([]);
    expect(await left()).to.deep.equal(['day 2', 'hour 2']);
    expect(await deliveries.purgeCounts('hour', first, 10)).to.equal(1);
    expect(await deliveries.purgeCounts('hour', first, 10)).to.equal(0);
    expect(await left()).to.deep.equal(['day 2']);
  });
});
