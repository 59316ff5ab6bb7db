import type { ClaimedDelivery, CloseAttempt, DeliveryQueue, Dispatch } from '@paymount/core/events';
import type { Worker } from '@paymount/webhooks';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type Engine, makeEngine } from './engine.ts';

/** A process that inserts rows leased to itself and then dies. */
function dyingProcess(): Dispatch & { readonly held: ClaimedDelivery[] } {
  const held: ClaimedDelivery[] = [];
  return {
    held,
    reserve: () => ({ token: 'of-the-dead', lengthMs: 25_000 }),
    committed: (deliveries) => void held.push(...deliveries),
    released: () => undefined,
    announce: () => undefined,
  };
}

const noVerdict = () => undefined;

describe('The delivery engine', () => {
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

  /** What a process reports of the attempt that it held. */
  function buildFailure(process: { readonly held: ClaimedDelivery[] }, id: string): CloseAttempt {
    const [held] = process.held;
    if (held === undefined) throw new Error('nothing was leased');
    return {
      id: held.id,
      attempt: 1,
      verdict: { next: 'retry', attempt: 2, waitMs: 300_000 },
      endedAt: engine.clock.now(),
      endedAgoMs: 0,
      record: {
        ...held,
        id: id as never,
        deliveryId: held.id,
        outcome: 'failed',
        errorCode: 'timeout',
        requestHeaders: {},
        responseTruncated: false,
        startedAt: engine.clock.now(),
        durationMs: 20_000,
        reusedConnection: false,
        redialed: false,
      },
    };
  }

  it('sends nothing whose lease grew old while the key provider opened its secret', async () => {
    const leftMs: number[] = [];
    receiver.otherwise(async () => {
      const [found] = await engine.query<{ left_ms: number }>(
        `SELECT extract(epoch FROM lease_until - now())::float8 * 1000 - $1 AS left_ms
         FROM paymount.deliveries`,
        [engine.clock.shiftMs],
      );
      leftMs.push(found?.left_ms ?? 0);
      return 200;
    });
    const worker = await engine.startWorker({ onOpen: () => engine.clock.advance(4_000) });
    await engine.publish();
    await eventually(async () => {
      await worker.drain();
      return leftMs.length > 0;
    });
    expect(leftMs).to.have.length(1);
    expect(leftMs[0]).to.be.within(22_000, 25_000);
    expect(await engine.attempts()).to.have.length(1);
  });

  it('sends what a dead process had leased once the lease ends, with the same number', async () => {
    const dead = dyingProcess();
    engine.hub.attach(dead);
    await engine.publish();
    engine.hub.detach(dead);
    const worker = await engine.startWorker();
    await worker.drain();
    engine.clock.advance(24_000);
    await worker.drain();
    expect(receiver.requests).to.have.length(0);
    engine.clock.advance(2_000);
    await worker.drain();
    expect(receiver.requests).to.have.length(1);
    expect(receiver.requests[0]?.headers['service-attempt']).to.equal('1');
    const attempts = await engine.attempts();
    expect(attempts.map(({ attempt, outcome }) => [attempt, outcome])).to.have.deep.members([
      [1, 'unknown'],
      [1, 'succeeded'],
    ]);
  });

  it('logs that attempt although the log could not be written at first, and once', async () => {
    const { deliveries } = engine.postgres;
    let calls = 0;
    const losing: DeliveryQueue = {
      ...deliveries,
      async recordAbandoned(records) {
        calls += 1;
        if (calls > 1) await deliveries.recordAbandoned(records);
        if (calls < 3) throw new Error('Connection terminated');
      },
    };
    const dead = dyingProcess();
    engine.hub.attach(dead);
    await engine.publish();
    engine.hub.detach(dead);
    engine.clock.advance(26_000);
    const worker = await engine.startWorker({ deliveries: losing });
    await worker.drain();
    const attempts = await engine.attempts();
    expect(attempts.map(({ attempt, outcome }) => [attempt, outcome])).to.have.deep.members([
      [1, 'unknown'],
      [1, 'succeeded'],
    ]);
  });

  it('counts one result of an attempt that was made twice', async () => {
    const dead = dyingProcess();
    engine.hub.attach(dead);
    await engine.publish();
    engine.hub.detach(dead);
    engine.clock.advance(26_000);
    const worker = await engine.startWorker();
    await worker.drain();
    // The process was only asleep: it wakes and reports a failure of the same attempt.
    const [late] = await engine.postgres.deliveries.close(
      [buildFailure(dead, 'att_late')],
      noVerdict,
    );
    expect(late).to.include({ closed: false });
    expect((await engine.deliveries())[0]).to.include({ state: 'succeeded', attempt: 1 });
    const outcomes = (await engine.attempts()).map(({ outcome }) => outcome);
    expect(outcomes).to.have.members(['unknown', 'succeeded', 'superseded']);
  });

  it('counts one of two results that one process reports together', async () => {
    const dead = dyingProcess();
    engine.hub.attach(dead);
    await engine.publish();
    engine.hub.detach(dead);
    const closed = await engine.postgres.deliveries.close(
      [buildFailure(dead, 'att_first'), buildFailure(dead, 'att_second')],
      noVerdict,
    );
    expect(closed.map((each) => each.closed)).to.deep.equal([true, false]);
    expect((await engine.deliveries())[0]).to.include({ state: 'pending', attempt: 2 });
    const outcomes = (await engine.attempts()).map(({ outcome }) => outcome);
    expect(outcomes).to.have.members(['failed', 'superseded']);
  });

  it('hands back what it claimed and did not send, and ends what it sends, when it closes', async () => {
    // Longer than the end takes to begin: the endpoint's slots are taken until then.
    receiver.otherwise({ status: 200, afterMs: 1_000 });
    await engine.publish(40);
    const worker = await engine.startWorker({ reconcile: true });
    await receiver.waitFor(1);
    await worker.close();
    const sent = receiver.requests.length;
    expect(sent).to.be.below(40);
    const left = await engine.deliveries();
    expect(left.filter(({ state }) => state === 'succeeded')).to.have.length(sent);
    expect(left.filter(({ lease_token }) => lease_token !== null)).to.have.length(0);
    await worker.close();
    receiver.otherwise(200);
    const next = await engine.startWorker();
    await next.drain();
    const ids = receiver.requests.map(({ headers }) => headers['service-delivery']);
    expect(ids).to.have.length(40);
    expect(new Set(ids).size).to.equal(40);
  });

  it('releases a row whose transaction commits while it closes', async () => {
    const worker = await engine.startWorker();
    let closing: Promise<void> | undefined;
    await engine.postgres.storage.transaction(async ({ changes }) => {
      const [event] = engine.makeEvents(1);
      if (event === undefined) throw new Error('no event');
      await changes.apply({ ...engine.owner, at: engine.clock.now(), writes: [], events: [event] });
      closing = worker.close();
    });
    await closing;
    expect(receiver.requests).to.have.length(0);
    expect((await engine.deliveries())[0]).to.include({ state: 'pending', lease_token: null });
  });

  it('sends deliveries that are parked although their endpoint is enabled', async () => {
    await engine.publish(3);
    await engine.query(`UPDATE paymount.deliveries SET state = 'parked', lease_token = NULL,
      leased_at = NULL, lease_until = NULL`);
    await engine.postgres.deliveries.recheckStatuses();
    await engine.postgres.deliveries.applyStatuses(10);
    await engine.startWorker({ reconcile: true });
    await receiver.waitFor(3);
  });

  it('logs into the partition of the day of its clock', async () => {
    receiver.otherwise(500);
    const worker = await engine.startWorker();
    engine.clock.advance(40 * 86_400_000);
    await engine.publish();
    await worker.drain();
    expect(await engine.attempts()).to.have.length(1);
    expect((await engine.deliveries())[0]).to.include({ attempt: 2 });
  });

  it('records its results once the database takes them again', async () => {
    const worker = await engine.startWorker();
    await engine.query('ALTER TABLE paymount.delivery_attempts RENAME TO hidden');
    await engine.publish();
    await receiver.waitFor(1);
    await engine.query('ALTER TABLE paymount.hidden RENAME TO delivery_attempts');
    await worker.drain();
    expect((await engine.deliveries())[0]).to.include({ state: 'succeeded' });
    expect(receiver.requests).to.have.length(1);
  });

  it('sends nothing while its clock is over 30 s off the database, and says so', async () => {
    const off = { ...engine.postgres.deliveries };
    off.databaseTime = async () => new Date(engine.clock.now().getTime() + 31_000);
    const worker: Worker = await engine.startWorker({ deliveries: off });
    await engine.publish();
    await worker.drain();
    expect(receiver.requests).to.have.length(0);
    expect(engine.lines.map(({ line }) => line)).to.include(
      'error: The clock is over 30 s off the database; nothing is sent.',
    );
  });

  it('visits its crash points in order', async () => {
    receiver.script(500);
    const visits: string[] = [];
    const worker = await engine.startWorker({ crashPoint: (name) => void visits.push(name) });
    await engine.publish();
    await worker.drain();
    engine.clock.advance(310_000);
    await worker.drain();
    await worker.close();
    const send = [
      'send.before_connect',
      'send.request_written',
      'send.response_read',
      'close.before_commit',
      'close.after_commit',
    ];
    const seen = visits.filter(
      (name, index) => name !== visits[index - 1] || !name.startsWith('claim'),
    );
    expect(seen.filter((name) => name !== 'claim.after_commit')).to.deep.equal([
      ...send,
      ...send,
      'shutdown.before_release',
    ]);
    expect(visits.indexOf('claim.after_commit')).to.be.greaterThan(-1);
  });
});
