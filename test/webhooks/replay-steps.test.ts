import type { Replay, ReplayQueue, ReplayStepRepository } from '@paymount/core/events';
import type { ReplayId } from '@paymount/core/kernel';
import { expect } from 'chai';
import pg from 'pg';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { rejectionCode } from '../support/rejection-code.ts';
import { makeReplaySetup, type ReplaySetup } from './replay-setup.ts';

/** A queue that calls `before` when a step has written everything, and is about to commit. */
function watched(
  replays: ReplayQueue,
  before: (id: ReplayId, rows: ReplayStepRepository) => Promise<void>,
): ReplayQueue {
  return {
    open: (limit) => replays.open(limit),
    postpone: (id, now) => replays.postpone(id, now),
    fail: (id, now, failure) => replays.fail(id, now, failure),
    whyNever: (error) => replays.whyNever(error),
    purge: (finishedBefore, limit) => replays.purge(finishedBefore, limit),
    step: (id, work) =>
      replays.step(id, async (rows, replay) => {
        const result = await work(rows, replay);
        await before(id, rows);
        return result;
      }),
  };
}

/** Does something between the first statement of that name and the next one. @returns what ends it */
function afterFirst(name: string, work: () => Promise<unknown>): () => void {
  const { query } = pg.Client.prototype;
  let state: 'before' | 'between' | 'after' = 'before';
  const watching = function (this: pg.Client, ...args: [{ name?: string }]): unknown {
    if (state === 'between') {
      state = 'after';
      return work().then(() => Reflect.apply(query, this, args));
    }
    if (state === 'before' && args[0]?.name?.startsWith(name)) state = 'between';
    return Reflect.apply(query, this, args);
  };
  Object.assign(pg.Client.prototype, { query: watching });
  return () => Object.assign(pg.Client.prototype, { query });
}

describe('A step of a replay', () => {
  let setup: ReplaySetup;
  let receiver: Receiver | undefined;

  beforeEach(async () => {
    setup = await makeReplaySetup();
  });
  afterEach(async () => {
    await setup.close();
    await receiver?.close();
    receiver = undefined;
  });

  const wantAll = () =>
    setup.engine.query(`UPDATE paymount.webhook_endpoints SET enabled_events = '{*}'`);

  /** Steps while `stepped` takes each of its turns. @returns ids in the order of their turns */
  async function round(stepped?: (id: ReplayId) => Promise<void>): Promise<readonly ReplayId[]> {
    const turns: ReplayId[] = [];
    const { replays } = setup.engine.postgres;
    await setup.step({
      replays: watched(replays, async (id) => {
        turns.push(id);
        await stepped?.(id);
      }),
    });
    return turns;
  }

  it('locks no endpoint: who changes one waits for no step', async () => {
    const to = await setup.endpoint('payout.paid');
    await setup.engine.publish(3);
    const replay = await setup.start({ to });
    let locked: readonly object[] = [];
    await round(async () => {
      // Another connection, while the step has made its deliveries and not committed.
      await setup.engine.query('BEGIN');
      locked = await setup.engine.query(
        'SELECT id FROM paymount.webhook_endpoints WHERE id = $1 FOR NO KEY UPDATE NOWAIT',
        [to],
      );
      await setup.engine.query('COMMIT');
    });
    expect(locked).to.have.length(1);
    expect(await setup.made(replay)).to.have.length(3);
  });

  it('leaves an endpoint to the step that has it, and goes on elsewhere at once', async () => {
    const [shared, other] = [
      await setup.endpoint('payout.paid'),
      await setup.endpoint('payout.paid'),
    ];
    await setup.engine.publish(2);
    const first = await setup.start({ to: shared });
    await wantAll();
    const second = await setup.start({});
    let isFirst = true;
    await round(async () => {
      if (!isFirst) return;
      isFirst = false;
      await setup.step();
    });
    expect(await setup.made(first)).to.have.length(2);
    const endpoints = async (replay: Replay) =>
      (await setup.made(replay)).map((each) => each.endpoint_id).sort();
    expect(await endpoints(second)).to.deep.equal([other, other]);
    await setup.finish(second);
    expect(await endpoints(second)).to.deep.equal([shared, shared, other, other].sort());
  });

  it('makes deliveries while what matches is still counted', async () => {
    await setup.record(3_000);
    const [one, two] = [await setup.endpoint('payout.paid'), await setup.endpoint('payout.paid')];
    await wantAll();
    const replay = await setup.start({ rate: 100 });
    await setup.step();
    // Five each; those of the second endpoint are counted as they are made.
    const begun = await setup.find(replay);
    expect(begun).to.include({ status: 'running', isCounting: true, createdCount: 10 });
    expect(begun.matched).to.equal(2_505);
    expect([await setup.waiting(one), await setup.waiting(two)]).to.deep.equal([5, 5]);
    for (let step = 0; step < 3; step += 1) {
      setup.clock.advance(100);
      await setup.step();
    }
    const counted = await setup.find(replay);
    expect(counted).to.include({ isCounting: false, matched: 6_000, createdCount: 40 });
  });

  it('takes turns: a round ends after a second, and the next one goes on behind it', async () => {
    await setup.engine.publish(4);
    const made: Replay[] = [];
    for (let count = 0; count < 3; count += 1) {
      made.push(await setup.start({ to: await setup.endpoint('payout.paid'), rate: 1 }));
    }
    const [one, two, three] = made.map(({ id }) => id);
    const slow = async (id: ReplayId) => setup.clock.advance(id === three ? 1 : 600);
    expect(await round(slow)).to.deep.equal([one, two]);
    expect(await round(slow)).to.deep.equal([three, one, two]);
    setup.clock.advance(1_000);
    // A step that fails, and that slowly, has had its turn all the same.
    const failing = async (id: ReplayId) => {
      setup.clock.advance(id === three ? 1_200 : 1);
      if (id === three) throw new Error('It cannot be advanced.');
    };
    expect(await round(failing)).to.deep.equal([three]);
    expect(await round(failing)).to.deep.equal([one, two, three]);
    expect(await round()).to.deep.equal([one, two, three]);
    const counts = await Promise.all(made.map(setup.find));
    expect(counts.map(({ createdCount }) => createdCount)).to.deep.equal([4, 4, 3]);
  });

  it('makes each delivery once, though an event of a smaller id is committed while it looks', async () => {
    const to = await setup.endpoint();
    await setup.record(6_000);
    const { databaseUrl, query } = setup.engine;
    const idOf = (n: number) => `evt_${String(n).padStart(26, '0')}`;
    const wanted = `UPDATE paymount.events SET type = 'charge.failed' WHERE id = $1`;
    await query(wanted, [idOf(5_001)]);
    const late = new pg.Client({ connectionString: databaseUrl });
    await late.connect();
    await query('CREATE TABLE public.late AS SELECT * FROM paymount.events WHERE id = $1', [
      idOf(4_999),
    ]);
    await query('DELETE FROM paymount.events WHERE id = $1', [idOf(4_999)]);
    await late.query('BEGIN');
    await late.query('INSERT INTO paymount.events SELECT * FROM public.late');
    const replay = await setup.start({ to, types: ['charge.failed'], rate: 1_000 });
    const done = afterFirst('pm_replays_choose', () => late.query('COMMIT'));
    const { createdCount, status } = await setup.finish(replay).finally(done);
    await late.end();
    expect([createdCount, status]).to.deep.equal([1, 'completed']);
  });

  it('comes soon where the endpoint has no room yet', async () => {
    const to = await setup.endpoint('payout.paid');
    await setup.engine.publish(51);
    await setup.start({ to, rate: 1_000 });
    for (let step = 0; step < 3; step += 1) {
      expect(await setup.step()).to.equal(true);
      setup.clock.advance(100);
    }
    expect(await setup.waiting(to)).to.equal(50);
    await setup.deliverAll();
    expect(await setup.step()).to.equal(false);
    expect(await setup.waiting(to)).to.equal(1);
  });

  it('comes once a second where the endpoint took nothing for two', async () => {
    const to = await setup.endpoint('payout.paid');
    await setup.engine.publish(51);
    await setup.start({ to, rate: 1_000 });
    expect(await setup.step()).to.equal(true);
    setup.clock.advance(1_999);
    expect(await setup.step()).to.equal(true);
    setup.clock.advance(1);
    expect(await setup.step()).to.equal(false);
    await setup.deliverAll();
    expect(await setup.step()).to.equal(false);
    expect(await setup.waiting(to)).to.equal(1);
  });

  for (const [rate, each] of [
    [200, 20],
    [1_000, 50],
  ] as const) {
    it(`sends ${each} of ${rate} per second to one endpoint that answers`, async () => {
      receiver = await startReceiver();
      const { id: to } = await setup.engine.endpoint(receiver.url);
      await setup.record(5 * each + 1);
      await setup.deliverAll();
      const worker = await setup.engine.startWorker();
      const replay = await setup.start({ to, rate });
      const arrived: number[] = [];
      for (let step = 0; step < 6; step += 1) {
        const before = receiver.requests.length;
        await setup.step();
        await worker.drain();
        arrived.push(receiver.requests.length - before);
        setup.clock.advance(100);
      }
      expect(arrived).to.deep.equal([each, each, each, each, each, 1]);
      expect((await setup.find(replay)).status).to.equal('completed');
    });
  }

  it('is one of 10 replays at most that are not over', async () => {
    const to = await setup.endpoint('payout.paid');
    const [first] = await Promise.all(Array.from({ length: 10 }, () => setup.start({ to })));
    if (first === undefined) throw new Error('Nothing was started.');
    const refused = await rejectionCode(setup.start({ to, dry_run: true }));
    expect(refused).to.equal('open_replays_limit_reached');
    await setup.cancel(first);
    await setup.start({ to });
    expect(await rejectionCode(setup.start({ to }))).to.equal('open_replays_limit_reached');
    await setup.step();
    expect((await setup.start({ to })).status).to.equal('pending');
  });

  it('is counted among the newest 10,000 deliveries, and all that wait', async () => {
    const to = await setup.endpoint('payout.paid');
    await setup.record(10_020);
    const replay = await setup.start({ to, types: ['dispute.won'] });
    await setup.engine.query(
      `INSERT INTO paymount.deliveries (account_id, livemode, id, event_id, endpoint_id, event_type,
         origin, replay_id, state, attempt, due_at, created, finished_at)
       SELECT v.account_id, v.livemode, 'dlv_' || substr(v.id, 5), v.id, $1, v.type, 'replay', $2,
         s.state, 1, now(), now(), CASE s.state WHEN 'pending' THEN NULL ELSE now() END
       FROM (SELECT *, row_number() OVER (ORDER BY id) AS n FROM paymount.events) v,
         LATERAL (SELECT CASE WHEN v.n = 1 THEN 'pending' WHEN v.n <= 20 THEN 'failed'
           WHEN v.n <= 30 THEN 'canceled' ELSE 'succeeded' END AS state) s`,
      [to, replay.id],
    );
    expect(await setup.engine.postgres.directory.replays.progress(replay.id)).to.deep.equal({
      pending: 1,
      newest: 10_000,
      succeeded: 9_990,
      failed: 0,
      canceled: 10,
    });
  });
});
