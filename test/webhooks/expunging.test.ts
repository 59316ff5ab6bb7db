import { ReplayCreateInput, ReplayService, toReplayResource } from '@paymount/core/events';
import {
  advanceExpunges,
  type ExpungeCreateInput,
  type ExpungeRequest,
  ExpungeService,
} from '@paymount/core/expunging';
import { type EventId, newId, noCrashPoint } from '@paymount/core/kernel';
import { expect } from 'chai';
import pg from 'pg';
import type { z } from 'zod';
import { eventually } from '../support/eventually.ts';
import { SILENT } from '../support/host.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type Engine, makeEngine } from './engine.ts';

describe('Expunging events while deliveries are sent', function () {
  this.timeout(30_000);
  let engine: Engine;
  let receiver: Receiver;

  beforeEach(async () => {
    engine = await makeEngine();
    receiver = await startReceiver();
    await engine.endpoint(receiver.url);
  });
  afterEach(async () => {
    await engine.close();
    await receiver.close();
  });

  const call = () => ({
    principal: { ...engine.owner, kind: 'host', scopes: 'all' } as const,
    requestId: newId('req'),
  });
  const request = (
    input: Partial<z.input<typeof ExpungeCreateInput>> & { created?: { gte: Date } },
  ): Promise<ExpungeRequest> =>
    new ExpungeService({ storage: engine.postgres.storage, clock: engine.clock }).create(call(), {
      reason: 'A test.',
      ...input,
    });
  const step = (crashPoint = noCrashPoint): Promise<boolean> =>
    advanceExpunges({
      expunges: engine.postgres.expunges,
      clock: engine.clock,
      logger: SILENT,
      crashPoint,
      isClosing: () => false,
    });
  const find = async ({ id }: ExpungeRequest): Promise<ExpungeRequest | undefined> =>
    engine.postgres.directory.expunges.find({ accounts: 'all', environments: ['test'] }, id);

  /** Steps until no request is open. */
  async function finish(made: ExpungeRequest): Promise<ExpungeRequest | undefined> {
    for (let steps = 0; steps < 200 && (await step()); steps += 1);
    return find(made);
  }

  /** So many copies of a recorded event, with one failed delivery and one attempt each. */
  async function record(count: number): Promise<void> {
    const [sample] = await engine.publish();
    await engine.postgres.deliveries.createPartitions(engine.clock.now(), 0);
    await engine.query(
      `WITH e AS (INSERT INTO paymount.events
         SELECT (jsonb_populate_record(e, to_jsonb(e) || jsonb_build_object(
           'id', 'evt_' || lpad(n::text, 26, '0'), 'object_version', n + 1))).*
         FROM paymount.events e, generate_series(1, $2::integer) n WHERE e.id = $1
         RETURNING *),
       d AS (INSERT INTO paymount.deliveries (account_id, livemode, id, event_id, endpoint_id,
           event_type, origin, state, attempt, due_at, created)
         SELECT e.account_id, false, 'dlv_' || e.id, e.id, w.id, e.type, 'event', 'pending', 2,
           now() + interval '1 day', now()
         FROM e, paymount.webhook_endpoints w RETURNING *)
       INSERT INTO paymount.delivery_attempts (id, account_id, livemode, delivery_id, event_id,
         event_type, endpoint_id, attempt, outcome, url, request_headers, response_headers,
         response_body, response_truncated, started_at, duration_ms, reused_connection, redialed)
       SELECT 'att_' || d.id, d.account_id, false, d.id, d.event_id, d.event_type, d.endpoint_id, 1,
         'failed', 'http://127.0.0.1:9/', '{"a":"b"}', '{"c":"d"}', 'Ada', false, $3, 1, false,
         false FROM d`,
      [sample?.id, count - 1, engine.clock.now()],
    );
  }

  /** The receiver answers the next request once it is released. */
  function held(): { readonly release: () => void } {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    receiver.script(async () => {
      await released;
      return { status: 200, body: 'Ada' };
    });
    return { release: () => release() };
  }

  /** Until so many statements wait for a lock. */
  const untilWaiting = (count: number) =>
    eventually(async () => {
      const [row] = await engine.query<{ count: number }>(
        `SELECT count(*)::integer AS count FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return row?.count === count;
    });

  const leftOver = async (): Promise<object> => {
    const [row] = await engine.query<object>(
      `SELECT (SELECT count(*)::integer FROM paymount.events WHERE body IS NOT NULL) AS bodies,
         (SELECT count(*)::integer FROM paymount.deliveries
           WHERE state IN ('pending', 'parked')) AS waiting,
         (SELECT count(*)::integer FROM paymount.delivery_attempts WHERE request_headers <> '{}'
           OR response_headers IS NOT NULL OR response_body IS NOT NULL) AS contents`,
    );
    return row ?? {};
  };
  const NOTHING = { bodies: 0, waiting: 0, contents: 0 };

  it('does a bounded part in each step, and goes on where a killed process ended', async () => {
    await record(600);
    const made = await request({ created: { gte: new Date(0) } });
    const dying = (at: string) => (name: string) => {
      if (name === at) throw new Error('The process died here.');
    };
    await step(dying('expunge.before_commit'));
    expect(await leftOver()).to.deep.equal({ bodies: 600, waiting: 600, contents: 599 });
    expect(await find(made)).to.deep.equal(made);
    await step(dying('expunge.after_commit'));
    const first = await find(made);
    expect(first).to.deep.include({
      status: 'running',
      counts: { events: 250, canceledDeliveries: 250, attempts: 250 },
    });
    expect(await leftOver()).to.deep.equal({ bodies: 350, waiting: 350, contents: 349 });
    expect(await finish(made)).to.deep.include({
      status: 'succeeded',
      counts: { events: 600, canceledDeliveries: 600, attempts: 599 },
    });
    expect(await leftOver()).to.deep.equal(NOTHING);
    const times = await engine.query<{ max: string }>(
      `SELECT count(DISTINCT finished_at)::text AS max FROM paymount.deliveries`,
    );
    expect(times).to.deep.equal([{ max: '3' }]);
    expect(await step()).to.equal(false);
  });

  it('blanks attempts of each day, whatever clock the delivery was recorded by', async () => {
    await record(4);
    // Made four days before its last attempt; by a clock that is ahead; and on a test clock of 2030.
    for (const [number, created] of [
      [1, `now() - interval '4 days'`],
      [2, `now() + interval '20 hours'`],
      [3, `'2030-01-01'`],
    ] as const) {
      await engine.query(
        `UPDATE paymount.deliveries SET created = ${created}
          WHERE event_id = 'evt_' || lpad($1, 26, '0')`,
        [String(number)],
      );
    }
    const made = await request({ created: { gte: new Date(0) } });
    expect(await finish(made)).to.deep.include({ status: 'succeeded' });
    expect(await leftOver()).to.deep.equal(NOTHING);
  });

  it('counts everything once with two workers, and two requests for the same events', async () => {
    await record(600);
    const all = { created: { gte: new Date(0) } };
    const [one, other] = [await request(all), await request(all)];
    const work = async (): Promise<void> => {
      for (let steps = 0; steps < 100 && (await step()); steps += 1);
    };
    await Promise.all([work(), work(), work()]);
    await work();
    const [first, second] = [await find(one), await find(other)];
    expect([first?.status, second?.status]).to.deep.equal(['succeeded', 'succeeded']);
    const sum = (name: 'events' | 'attempts' | 'canceledDeliveries') =>
      (first?.counts[name] ?? 0) + (second?.counts[name] ?? 0);
    expect([sum('events'), sum('canceledDeliveries'), sum('attempts')]).to.deep.equal([
      600, 600, 599,
    ]);
    expect(await leftOver()).to.deep.equal(NOTHING);
  });

  it('expunges one event with more attempts than a step may change in several steps', async () => {
    const [event] = await engine.publish();
    await engine.postgres.deliveries.createPartitions(engine.clock.now(), 0);
    await engine.query(
      `INSERT INTO paymount.delivery_attempts (id, account_id, livemode, delivery_id, event_id,
         event_type, endpoint_id, attempt, outcome, url, request_headers, response_body,
         response_truncated, started_at, duration_ms, reused_connection, redialed)
       SELECT 'att_' || n, d.account_id, false, d.id, d.event_id, d.event_type, d.endpoint_id, 1,
         'failed', 'http://127.0.0.1:9/', '{"a":"b"}', 'Ada', false, $1, 1, false, false
       FROM paymount.deliveries d, generate_series(1, 2500) n`,
      [engine.clock.now()],
    );
    const made = await request({ events: [event?.id ?? ''] });
    expect(await step()).to.equal(true);
    expect(await find(made)).to.deep.include({
      status: 'running',
      counts: { events: 0, canceledDeliveries: 1, attempts: 1_000 },
    });
    expect(await leftOver()).to.deep.equal({ bodies: 1, waiting: 0, contents: 1_500 });
    expect(await finish(made)).to.deep.include({
      status: 'succeeded',
      counts: { events: 1, canceledDeliveries: 1, attempts: 2_500 },
    });
    expect(await leftOver()).to.deep.equal(NOTHING);
  });

  it('lets an attempt end that has begun, and keeps nothing of what it sent and got', async () => {
    const answering = held();
    const worker = await engine.startWorker();
    const [event] = await engine.publish();
    const [sent] = await receiver.waitFor(1);
    expect(sent?.body.toString()).to.equal(event?.body);
    await finish(await request({ events: [event?.id ?? ''] }));
    answering.release();
    await worker.drain();
    await eventually(async () => (await engine.attempts()).length === 1);
    expect((await engine.attempts())[0]).to.include({
      outcome: 'superseded',
      response_status: 200,
    });
    expect((await engine.deliveries())[0]).to.include({
      state: 'canceled',
      last_error: 'event_expunged',
      lease_token: null,
    });
    expect(await leftOver()).to.deep.equal(NOTHING);
    engine.clock.advance(86_400_000);
    await worker.drain();
    expect(receiver.requests).to.have.length(1);
  });

  it('keeps nothing of an attempt whose result is recorded in the same moment', async () => {
    // Without its partition, the statement would run twice.
    await engine.postgres.deliveries.createPartitions(engine.clock.now(), 0);
    const answering = held();
    const worker = await engine.startWorker();
    const [event] = await engine.publish();
    await receiver.waitFor(1);
    const made = await request({ events: [event?.id ?? ''] });
    // The step is open until the statement that records the result waits for it.
    await engine.postgres.expunges.step(made.id, async (rows, open) => {
      const { eventIds } = await rows.choose();
      await rows.expunge(eventIds, engine.clock.now());
      answering.release();
      await untilWaiting(1);
      await rows.save({ ...open, status: 'running', startedAt: engine.clock.now() }, open.created);
    });
    await worker.drain();
    await finish(made);
    expect(await engine.attempts()).to.have.length(1);
    expect(await leftOver()).to.deep.equal(NOTHING);
  });

  it('is waited for by whoever would send the event again', async () => {
    const [event] = await engine.publish();
    const id = event?.id as EventId;
    await engine.query(`UPDATE paymount.deliveries SET state = 'failed', finished_at = now()`);
    const { storage } = engine.postgres;
    const [delivery] = (
      await storage.read.deliveries.list(engine.owner, { event: id }, { limit: 1 })
    ).data;
    expect(delivery).to.include({ state: 'failed' });
    const made = await request({ events: [id] });
    const at = engine.clock.now();
    const apply = (change: object) =>
      storage.changes.apply({ ...engine.owner, at, writes: [], ...change });
    let results: Promise<readonly unknown[]> = Promise.resolve([]);
    await engine.postgres.expunges.step(made.id, async (rows) => {
      await rows.expunge([id], at);
      results = Promise.all([
        apply({ retriedDelivery: delivery?.id }),
        apply({
          chosenDeliveries: [{ ...delivery, id: newId('dlv'), origin: 'replay', state: 'pending' }],
        }),
      ]);
      await untilWaiting(2);
    });
    expect(await results).to.deep.equal(['raced', 'raced']);
    expect((await engine.deliveries()).map(({ state }) => state)).to.deep.equal(['failed']);
  });

  it('leaves a replay of many nothing to send that it had chosen before', async () => {
    const setup = new ReplayService({ storage: engine.postgres.storage, clock: engine.clock });
    const [gone, kept] = await engine.publish(2);
    const to = await engine.endpoint('http://127.0.0.1:9/hook');
    const input = ReplayCreateInput.parse({ to: to.id });
    const replay = await setup.create(call(), input, toReplayResource);
    const made = await request({ events: [gone?.id ?? ''] });
    await engine.postgres.replays.step(replay.id, async (rows) => {
      const [target] = (await rows.targets()).open;
      if (target === undefined) throw new Error('The replay has no target.');
      const chosen = await rows.choose(target, { limit: 10, looked: 10 });
      expect(chosen.events.map(({ id }) => id)).to.deep.equal([gone?.id, kept?.id]);
      await finish(made);
      const sent = await rows.make([chosen]);
      expect(sent.map(({ eventId }) => eventId)).to.deep.equal([kept?.id]);
      const range = { after: '', to: kept?.id ?? '' };
      expect(await rows.countExpunged(target, range)).to.equal(1);
    });
    const waiting = (await engine.deliveries()).filter(({ state }) => state === 'pending');
    expect(waiting).to.have.length(2);
  });

  it('cancels the delivery of a replay that came first', async () => {
    const [event] = await engine.publish();
    await engine.query(`UPDATE paymount.deliveries SET state = 'failed', finished_at = now()`);
    const client = new pg.Client({ connectionString: engine.databaseUrl });
    await client.connect();
    try {
      const made = await request({ events: [event?.id ?? ''] });
      await client.query('BEGIN');
      await client.query('SELECT FROM paymount.events WHERE id = $1 FOR SHARE', [event?.id]);
      await client.query(
        `INSERT INTO paymount.deliveries (account_id, livemode, id, event_id, endpoint_id,
           event_type, origin, state, attempt, due_at, created)
         SELECT account_id, livemode, 'dlv_replayed', event_id, endpoint_id, event_type, 'replay',
           'pending', 1, now(), now() FROM paymount.deliveries`,
      );
      const stepping = step();
      await untilWaiting(1);
      await client.query('COMMIT');
      await stepping;
      expect(await find(made)).to.deep.include({
        status: 'succeeded',
        counts: { events: 1, canceledDeliveries: 1, attempts: 0 },
      });
      expect(await leftOver()).to.deep.equal(NOTHING);
    } finally {
      await client.end();
    }
  });

  it('leaves out events that are recorded after the request', async () => {
    const [before] = await engine.publish();
    const made = await request({ created: { gte: new Date(0) } });
    const [after] = await engine.publish();
    expect(await finish(made)).to.deep.include({ status: 'succeeded' });
    const { events } = engine.postgres.storage.read;
    const found = await Promise.all(
      [before, after].map((event) => events.find(engine.owner, event?.id as EventId)),
    );
    expect(found.map((event) => event && 'body' in event)).to.deep.equal([false, true]);
    expect(await events.findAll(engine.owner, [before?.id, after?.id] as EventId[])).to.deep.equal([
      after,
    ]);
  });

  it('ends a request that the database refuses, with the reason, and goes on with others', async () => {
    const [bad, good] = await engine.publish(2);
    await engine.query(
      `ALTER TABLE paymount.events ADD CONSTRAINT kept CHECK (id <> '${bad?.id}' OR body IS NOT NULL)`,
    );
    const refused = await request({ events: [bad?.id ?? ''] });
    const made = await request({ events: [good?.id ?? ''] });
    await step();
    expect(await find(refused)).to.deep.include({
      status: 'failed',
      failure: 'The database refused a step: constraint kept of table events (SQLSTATE 23514).',
    });
    expect(await find(made)).to.deep.include({ status: 'succeeded' });
  });
});
