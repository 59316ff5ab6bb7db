import type { Event } from '@paymount/core/changes';
import type { Replay } from '@paymount/core/events';
import type { EndpointId } from '@paymount/core/kernel';
import { expect } from 'chai';
import { makeReplaySetup, type ReplaySetup } from './replay-setup.ts';

describe('A replay of many events', () => {
  let setup: ReplaySetup;

  beforeEach(async () => {
    setup = await makeReplaySetup();
  });
  afterEach(() => setup.close());

  const listEvents = async (replay: Replay): Promise<string[]> =>
    (await setup.made(replay)).map(({ event_id }) => event_id);

  /** How deliveries of one event fare; `null` for an event without one. */
  async function deliveryIn(
    endpoint: EndpointId,
    states: readonly (readonly [origin: 'event' | 'replay', state: string])[],
  ): Promise<Event> {
    const [event] = await setup.engine.publish();
    if (event === undefined) throw new Error('Nothing was published.');
    await setup.engine.query('DELETE FROM paymount.deliveries WHERE event_id = $1', [event.id]);
    for (const [index, [origin, state]] of states.entries()) {
      await setup.engine.query(
        `INSERT INTO paymount.deliveries (account_id, livemode, id, event_id, endpoint_id,
           event_type, origin, state, attempt, due_at, created, finished_at)
         VALUES ($1, false, $2, $3, $4, 'charge.succeeded', $5, $6, 1, now() + interval '1 day',
           now(), CASE WHEN $6 IN ('pending', 'parked') THEN NULL ELSE now() END)`,
        [event.accountId, `dlv_${index}_${event.id}`, event.id, endpoint, origin, state],
      );
    }
    return event;
  }

  it('takes the events that fared as `states` says', async () => {
    const endpoint = await setup.endpoint();
    const fates = {
      none: [],
      waiting: [['event', 'pending']],
      delivered: [['event', 'succeeded']],
      failed: [['event', 'failed']],
      skipped: [['event', 'skipped']],
      canceled: [['event', 'canceled']],
      recovered: [
        ['event', 'failed'],
        ['replay', 'succeeded'],
      ],
      'failed again': [
        ['event', 'skipped'],
        ['replay', 'failed'],
      ],
    } as const;
    const names = new Map<string, string>();
    for (const [name, states] of Object.entries(fates)) {
      names.set((await deliveryIn(endpoint, states)).id, name);
    }
    const taken = async (
      ...states: ('failed' | 'skipped' | 'succeeded' | 'undelivered')[]
    ): Promise<unknown> => {
      const input = states.length > 0 ? { endpoint, states } : { endpoint };
      const replay = await setup.finish(await setup.start(input));
      const found = (await listEvents(replay)).map((id) => names.get(id));
      expect(replay).to.include({ matched: found.length, createdCount: found.length });
      await setup.engine.query('DELETE FROM paymount.deliveries WHERE replay_id = $1', [replay.id]);
      return found;
    };
    const undelivered = ['none', 'waiting', 'failed', 'skipped', 'canceled', 'failed again'];
    expect(await taken('failed')).to.deep.equal(['failed', 'failed again']);
    expect(await taken('skipped')).to.deep.equal(['skipped', 'failed again']);
    expect(await taken('failed', 'skipped')).to.deep.equal(['failed', 'skipped', 'failed again']);
    expect(await taken('succeeded')).to.deep.equal(['delivered', 'recovered']);
    expect(await taken('undelivered')).to.deep.equal(undelivered);
    expect(await taken('succeeded', 'undelivered')).to.deep.equal(Object.keys(fates));
    expect(await taken()).to.deep.equal(Object.keys(fates));
  });

  it('selects by one endpoint, and sends to another', async () => {
    const [judged, to] = [await setup.endpoint(), await setup.endpoint('payout.paid')];
    const failed = await deliveryIn(judged, [['event', 'failed']]);
    await deliveryIn(judged, [['event', 'succeeded']]);
    const replay = await setup.finish(
      await setup.start({ endpoint: judged, to, states: ['failed'] }),
    );
    const made = await setup.made(replay);
    expect(made.map((each) => [each.event_id, each.endpoint_id])).to.deep.equal([[failed.id, to]]);
  });

  it('goes to every enabled endpoint that wants the types now, and no other', async () => {
    const [event] = await setup.engine.publish();
    const wanting = [await setup.endpoint('*'), await setup.endpoint('charge.*')];
    await setup.endpoint('charge.failed', 'payout.*');
    await setup.turn(await setup.endpoint(), 'disabled');
    await setup.turn(await setup.endpoint(), 'deleted');
    const replay = await setup.finish(await setup.start({}));
    await setup.endpoint('*');
    const made = await setup.made(replay);
    expect(made.map((each) => each.event_id)).to.deep.equal([event?.id, event?.id]);
    expect(made.map((each) => each.endpoint_id).sort()).to.deep.equal(wanting.sort());
    const nothing = await setup.finish(await setup.start({ types: ['dispute.won'] }));
    expect(nothing).to.include({ status: 'completed', matched: 0, createdCount: 0 });
  });

  it('takes the types and times of its filter, subscribed or not', async () => {
    const to = await setup.endpoint('payout.paid');
    const events = await setup.engine.publish(4);
    for (const [index, { id }] of events.entries()) {
      await setup.engine.query(`UPDATE paymount.events SET created = $2, type = $3 WHERE id = $1`, [
        id,
        new Date(Date.UTC(2026, 0, index + 1)),
        index < 3 ? 'charge.failed' : 'charge.captured',
      ]);
    }
    const created = { gte: new Date('2026-01-02'), lt: new Date('2026-01-04') };
    const replay = await setup.start({ to, types: ['charge.failed'], created });
    expect(await listEvents(await setup.finish(replay))).to.deep.equal([
      events[1]?.id,
      events[2]?.id,
    ]);
  });

  it('takes no event that is recorded after it was made', async () => {
    const to = await setup.endpoint('payout.paid');
    const [before] = await setup.engine.publish();
    const replay = await setup.start({ to });
    await setup.engine.publish();
    expect(await listEvents(await setup.finish(replay))).to.deep.equal([before?.id]);
  });

  it('is over at once where no event was ever recorded', async () => {
    const replay = await setup.start({ to: await setup.endpoint() });
    await setup.step();
    expect(await setup.find(replay)).to.include({ status: 'completed', matched: 0 });
  });

  it('counts and makes nothing as a dry run', async () => {
    const to = await setup.endpoint('payout.paid');
    await setup.engine.publish(3);
    const replay = await setup.finish(await setup.start({ to, dry_run: true }));
    expect(replay).to.include({ status: 'completed', matched: 3, createdCount: 0, isOpen: false });
    expect(await setup.engine.deliveries()).to.deep.equal([]);
  });

  it('makes no more per second than its rate, and as many', async () => {
    const to = await setup.endpoint('payout.paid');
    await setup.engine.publish(30);
    const replay = await setup.start({ to, rate: 6 });
    const made: number[] = [];
    for (let step = 0; step < 16; step += 1) {
      // A second worker, or one that is in a hurry, makes none besides.
      await setup.step();
      await setup.step();
      made.push((await setup.find(replay)).createdCount);
      setup.clock.advance(250);
    }
    expect(made).to.deep.equal([1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18, 20, 21, 23]);
    setup.clock.advance(60_000);
    await setup.step();
    const { createdCount } = await setup.find(replay);
    expect(createdCount, 'after a minute without a worker').to.equal(30);
  });

  it('leaves an endpoint 50 unfinished deliveries at most, also with other replays', async () => {
    const to = await setup.endpoint('payout.paid');
    await setup.engine.publish(60);
    const [one, two] = [
      await setup.start({ to, rate: 1_000 }),
      await setup.start({ to, rate: 1_000 }),
    ];
    for (let round = 0; round < 4; round += 1) {
      await Promise.all([setup.step(), setup.step(), setup.step(), setup.step()]);
      setup.clock.advance(250);
    }
    const made = async () =>
      Promise.all([one, two].map(async (replay) => (await setup.find(replay)).createdCount));
    expect(await setup.waiting(to)).to.equal(50);
    expect(await made(), 'each its half').to.deep.equal([25, 25]);
    await setup.deliverAll();
    await setup.step();
    expect(await made()).to.deep.equal([50, 50]);
    await setup.deliverAll();
    for (let round = 0; round < 3; round += 1) {
      await setup.step();
      setup.clock.advance(250);
      expect(await setup.waiting(to)).to.be.at.most(50);
      await setup.deliverAll();
    }
    expect(await setup.finish(one)).to.include({ createdCount: 60 });
    expect(await setup.finish(two)).to.include({ createdCount: 60 });
  });

  it('has 1,000 unfinished deliveries at most', async () => {
    const targets: EndpointId[] = [];
    for (let count = 0; count < 22; count += 1) targets.push(await setup.endpoint('payout.paid'));
    await setup.engine.publish(50);
    for (const id of targets) {
      await setup.engine.query(
        `UPDATE paymount.webhook_endpoints SET enabled_events = '{*}' WHERE id = $1`,
        [id],
      );
    }
    const replay = await setup.start({ rate: 1_000 });
    for (let step = 0; step < 10; step += 1) {
      await setup.step();
      setup.clock.advance(250);
    }
    expect(await setup.find(replay)).to.include({ matched: 1_100, createdCount: 1_000 });
    await setup.deliverAll(targets[0]);
    await setup.step();
    expect((await setup.find(replay)).createdCount).to.be.within(1_001, 1_050);
  });

  it('goes on for others while one endpoint answers nothing', async () => {
    const [dead, alive] = [
      await setup.endpoint('payout.paid'),
      await setup.endpoint('payout.paid'),
    ];
    await setup.engine.publish(120);
    await setup.engine.query(`UPDATE paymount.webhook_endpoints SET enabled_events = '{*}'`);
    const replay = await setup.start({ rate: 1_000 });
    for (let step = 0; step < 6; step += 1) {
      await setup.step();
      await setup.deliverAll(alive);
      setup.clock.advance(250);
    }
    const made = await setup.made(replay);
    expect(made.filter((each) => each.endpoint_id === alive)).to.have.length(120);
    expect(made.filter((each) => each.endpoint_id === dead)).to.have.length(50);
    expect((await setup.find(replay)).status).to.equal('running');
  });

  it('waits for an endpoint that is disabled meanwhile, and goes on when it is enabled', async () => {
    const to = await setup.endpoint('payout.paid');
    await setup.engine.publish(4);
    const replay = await setup.start({ to, rate: 4 });
    await setup.step();
    await setup.turn(to, 'disabled');
    setup.clock.advance(5_000);
    const before = await setup.find(replay);
    expect(await setup.step()).to.equal(false);
    expect(await setup.find(replay)).to.deep.equal(before);
    expect(before).to.include({ status: 'running', createdCount: 1 });
    await setup.turn(to, 'enabled');
    expect(await setup.finish(replay)).to.include({ status: 'completed', createdCount: 4 });
  });

  it('makes nothing for an endpoint that is disabled meanwhile, while others go on', async () => {
    const [off, on] = [await setup.endpoint('payout.paid'), await setup.endpoint('payout.paid')];
    await setup.engine.publish(4);
    await setup.engine.query(`UPDATE paymount.webhook_endpoints SET enabled_events = '{*}'`);
    const replay = await setup.start({ rate: 100 });
    await setup.turn(off, 'disabled');
    await setup.step();
    const made = await setup.made(replay);
    expect(made.map((each) => each.endpoint_id)).to.deep.equal(Array(4).fill(on));
    expect(await setup.find(replay)).to.include({ status: 'running', matched: 8 });
  });

  it('is done with an endpoint that is deleted meanwhile', async () => {
    const to = await setup.endpoint('payout.paid');
    await setup.engine.publish(4);
    const replay = await setup.start({ to, rate: 4 });
    await setup.step();
    await setup.turn(to, 'deleted');
    setup.clock.advance(250);
    await setup.step();
    expect(await setup.find(replay)).to.include({
      status: 'completed',
      createdCount: 1,
      matched: 4,
    });
    expect((await setup.made(replay)).map(({ state }) => state)).to.deep.equal(['canceled']);
  });

  it('makes each delivery once, whatever number of workers step at once', async () => {
    const targets = [await setup.endpoint('payout.paid'), await setup.endpoint('payout.paid')];
    const events = await setup.engine.publish(40);
    await setup.engine.query(`UPDATE paymount.webhook_endpoints SET enabled_events = '{*}'`);
    const replay = await setup.start({ rate: 40 });
    for (let round = 0; round < 12; round += 1) {
      await Promise.all(Array.from({ length: 8 }, () => setup.step()));
      setup.clock.advance(250);
    }
    const made = await setup.made(replay);
    const pairs = made.map((each) => `${each.event_id} ${each.endpoint_id}`);
    expect(new Set(pairs).size).to.equal(pairs.length);
    expect(pairs).to.have.length(targets.length * events.length);
    expect(await setup.find(replay)).to.include({ status: 'completed', createdCount: 80 });
  });
});
