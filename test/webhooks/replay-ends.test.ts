import { setTimeout as delay } from 'node:timers/promises';
import type { ReplayQueue, ReplayStepRepository } from '@paymount/core/events';
import type { DeliveryId, EndpointId } from '@paymount/core/kernel';
import { expect } from 'chai';
import { verify } from 'paymount-receiver';
import { eventually } from '../support/eventually.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { makeReplaySetup, type ReplaySetup } from './replay-setup.ts';

/** A queue whose worker dies inside a step, after these rows were written and before its commit. */
function dying(replays: ReplayQueue, at: 'saveTarget' | 'save'): ReplayQueue {
  return {
    open: (limit) => replays.open(limit),
    postpone: (id, now) => replays.postpone(id, now),
    fail: (id, now, failure) => replays.fail(id, now, failure),
    whyNever: (error) => replays.whyNever(error),
    purge: (finishedBefore, limit) => replays.purge(finishedBefore, limit),
    step: (id, work) =>
      replays.step(id, (rows, replay) => {
        const broken: ReplayStepRepository = {
          ...rows,
          async [at]() {
            throw new Error('The worker died here.');
          },
        };
        return work(broken, replay);
      }),
  };
}

describe('A replay that ends early, or whose worker does', () => {
  let setup: ReplaySetup;

  beforeEach(async () => {
    setup = await makeReplaySetup();
  });
  afterEach(() => setup.close());

  it('makes no more once it is canceled, and cancels what waits', async () => {
    const [to, other] = [await setup.endpoint('payout.paid'), await setup.endpoint('payout.paid')];
    await setup.engine.publish(5);
    await setup.engine.query(`UPDATE paymount.webhook_endpoints SET enabled_events = '{*}'`);
    const replay = await setup.start({ rate: 40 });
    await setup.step();
    await setup.turn(other, 'disabled');
    expect(await setup.cancel(replay)).to.include({ status: 'canceled', isOpen: false });
    expect((await setup.made(replay)).map(({ state }) => state)).to.deep.equal(
      Array(4).fill('canceled'),
    );
    setup.clock.advance(2_000);
    await setup.step();
    expect(await setup.made(replay)).to.have.length(4);
    await setup.turn(other, 'enabled');
    expect(await setup.waiting(to)).to.equal(0);
    expect(await setup.waiting(other)).to.equal(0);
    expect(await refusal(() => setup.cancel(replay))).to.equal('replay_finished');
  });

  it('lets an attempt end that is under way when it is canceled, and makes no other', async () => {
    const to = await setup.endpoint('payout.paid');
    await setup.engine.publish(4);
    const replay = await setup.start({ to, rate: 20 });
    await setup.step();
    const [running, waiting] = await setup.made(replay);
    const { deliveries } = setup.engine.postgres;
    const {
      deliveries: [claimed],
    } = await deliveries.claimById({
      shiftMs: 0,
      leaseToken: 'held',
      leaseMs: 25_000,
      wanted: [{ id: running?.id as DeliveryId, attempt: 1 }],
      aheadMs: 0,
      replays: 1,
      held: [],
      excluded: [],
      excludedFromReplays: [],
      excludedAccounts: [],
      quick: { endpoints: [], perEndpoint: 0, replays: 0 },
    });
    expect(claimed).to.include({ origin: 'replay' });
    expect(await setup.cancel(replay)).to.include({ status: 'canceled', isOpen: true });
    const states = async () =>
      Object.fromEntries((await setup.made(replay)).map(({ id, state }) => [id, state]));
    const ids = [String(running?.id), String(waiting?.id)] as const;
    expect(await states()).to.deep.equal({ [ids[0]]: 'pending', [ids[1]]: 'canceled' });
    await setup.step();
    expect(await setup.find(replay)).to.include({ isOpen: true });
    // The attempt fails, and would be made again in five minutes.
    await deliveries.release('held', [running?.id as DeliveryId]);
    await setup.step();
    expect(await states()).to.deep.equal({ [ids[0]]: 'canceled', [ids[1]]: 'canceled' });
    expect(await setup.find(replay)).to.include({ status: 'canceled', isOpen: false });
  });

  it('can be canceled once it is completed, as long as deliveries wait', async () => {
    const to = await setup.endpoint('payout.paid');
    await setup.engine.publish(3);
    const replay = await setup.finish(await setup.start({ to }));
    expect(replay.status).to.equal('completed');
    const [first] = await setup.made(replay);
    await setup.engine.query(
      `UPDATE paymount.deliveries SET state = 'succeeded', finished_at = now() WHERE id = $1`,
      [first?.id],
    );
    expect(await setup.cancel(replay)).to.include({ status: 'canceled', isOpen: false });
    const states = (await setup.made(replay)).map(({ state }) => state);
    expect(states).to.deep.equal(['succeeded', 'canceled', 'canceled']);
    expect(await refusal(() => setup.cancel(replay))).to.equal('replay_finished');
    const over = await setup.finish(await setup.start({ to }));
    await setup.deliverAll();
    expect(await refusal(() => setup.cancel(over))).to.equal('replay_finished');
    expect(await setup.find(over)).to.deep.equal(over);
  });

  it('can be canceled before it is counted', async () => {
    await setup.engine.publish();
    const replay = await setup.start({ to: await setup.endpoint('payout.paid') });
    expect(await setup.cancel(replay)).to.include({ status: 'canceled', isOpen: false });
    await setup.step();
    expect(await setup.made(replay)).to.deep.equal([]);
  });

  for (const at of ['saveTarget', 'save'] as const) {
    it(`loses and doubles nothing when a worker dies before the commit, at ${at}`, async () => {
      const to = await setup.endpoint('payout.paid');
      const events = await setup.engine.publish(6);
      const replay = await setup.start({ to, rate: 12 });
      const { replays } = setup.engine.postgres;
      for (let step = 0; step < 6; step += 1) {
        await setup.step({ replays: dying(replays, at) });
        await setup.step();
        setup.clock.advance(250);
      }
      expect(await setup.find(replay)).to.include({ status: 'completed', createdCount: 6 });
      const made = (await setup.made(replay)).map((each) => each.event_id);
      expect(made).to.deep.equal(events.map(({ id }) => id));
    });
  }

  it('fails, and says why, when the database refuses a step, and leaves what it made', async () => {
    const to = await setup.endpoint('payout.paid');
    await setup.engine.publish(4);
    const replay = await setup.start({ to, rate: 20 });
    const other = await setup.start({ to, rate: 20, dry_run: true });
    await setup.step();
    expect(await setup.made(replay)).to.have.length(2);
    await setup.engine.query(
      'ALTER TABLE paymount.replays ADD CONSTRAINT planted CHECK (created_count < 3)',
    );
    setup.clock.advance(250);
    await setup.step();
    const failed = await setup.find(replay);
    expect(failed).to.include({
      status: 'failed',
      isOpen: false,
      isCounting: false,
      createdCount: 2,
      failure: 'The database refused a step: constraint planted of table replays (SQLSTATE 23514).',
    });
    expect(failed.finishedAt).to.deep.equal(setup.clock.now());
    expect((await setup.made(replay)).map(({ state }) => state)).to.deep.equal([
      'pending',
      'pending',
    ]);
    expect(await setup.finish(other)).to.include({ status: 'completed', matched: 4 });
    expect(await setup.step()).to.equal(false);
    expect(await setup.cancel(replay)).to.include({ status: 'canceled', failure: failed.failure });
    expect(await setup.waiting(to)).to.equal(0);
  });

  it('loses and doubles nothing when a worker dies after the commit, before it tells', async () => {
    const to = await setup.endpoint('payout.paid');
    const events = await setup.engine.publish(6);
    const replay = await setup.start({ to, rate: 12 });
    let visits = 0;
    const crashPoint = (name: string): void => {
      expect(name).to.equal('replay.after_batch');
      visits += 1;
      throw new Error('The worker died here.');
    };
    for (let step = 0; step < 4; step += 1) {
      await setup.step({ crashPoint }).catch(() => undefined);
      setup.clock.advance(250);
    }
    expect(visits).to.equal(3);
    expect(await setup.find(replay)).to.include({ status: 'completed', createdCount: 6 });
    const made = (await setup.made(replay)).map((each) => each.event_id);
    expect(made).to.deep.equal(events.map(({ id }) => id));
  });
});

describe('What a replay sends', () => {
  let setup: ReplaySetup;
  const receivers: Receiver[] = [];

  beforeEach(async () => {
    setup = await makeReplaySetup();
  });
  afterEach(async () => {
    await setup.close();
    await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
  });

  async function receiver(): Promise<Receiver> {
    const started = await startReceiver();
    receivers.push(started);
    return started;
  }

  it('is the same event, says that it is a replay, and has a new signature', async () => {
    const [first, second] = [await receiver(), await receiver()];
    const worker = await setup.engine.startWorker();
    await setup.engine.endpoint(first.url);
    const [event] = await setup.engine.publish();
    await first.waitFor(1);
    const { id: to, secret } = await setup.engine.endpoint(second.url);
    const replay = await setup.start({ to });
    await setup.step();
    // No sweeper runs: the step itself told the worker.
    const [request] = await second.waitFor(1);
    await worker.drain();
    expect(request?.headers).to.include({
      'service-replay': 'true',
      'service-attempt': '1',
      'webhook-id': event?.id,
    });
    expect(request?.body.toString()).to.equal(event?.body);
    expect(verify({ headers: request?.headers ?? {}, body: request?.body, secret })).to.include({
      id: event?.id,
    });
    const [made] = await setup.made(replay);
    expect(made).to.include({ state: 'succeeded' });
    expect(request?.headers['service-delivery']).to.equal(made?.id);
    expect(first.requests).to.have.length(1);
    expect(await setup.engine.postgres.directory.replays.progress(replay.id)).to.deep.equal({
      pending: 0,
      newest: 1,
      succeeded: 1,
      failed: 0,
      canceled: 0,
    });
  });

  it('takes 64 of the slots at most, so that what happens now leaves at once', async function () {
    this.timeout(60_000);
    const hanging = [await receiver(), await receiver(), await receiver()];
    let open = 0;
    let most = 0;
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    for (const each of hanging) {
      each.otherwise(async () => {
        open += 1;
        most = Math.max(most, open);
        // Longer than all claims take, and shorter than an attempt may.
        await Promise.race([ended, delay(18_000)]);
        open -= 1;
        return 200;
      });
    }
    const targets: EndpointId[] = [];
    for (let count = 0; count < 36; count += 1) {
      targets.push((await setup.engine.endpoint(hanging[count % 3]?.url ?? '')).id);
    }
    await setup.engine.publish(6);
    await setup.deliverAll();
    await setup.engine.startWorker({ reconcile: true, deadlineMs: 20_000, slowAfterMs: 20_000 });
    await setup.finish(await setup.start({ rate: 1_000 }));
    await Promise.all(hanging.map((each) => each.waitFor(20)));
    await eventually(() => open >= 64);
    const [held] = await setup.engine.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM paymount.deliveries WHERE lease_token IS NOT NULL`,
    );
    expect(held?.count, 'claimed, waiting ones included').to.equal(64);
    const quick = await receiver();
    await setup.engine.query(
      `UPDATE paymount.webhook_endpoints SET enabled_events = '{payout.paid}'`,
    );
    await setup.engine.endpoint(quick.url);
    const before = performance.now();
    await setup.engine.publish(4);
    await quick.waitFor(4);
    expect(performance.now() - before).to.be.below(1_000);
    expect(most).to.equal(64);
    // When slots are free again, the sweeper goes on with what was left.
    end();
    await Promise.all(hanging.map((each) => each.waitFor(72)));
  });
});

async function refusal(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
  return 'nothing';
}
