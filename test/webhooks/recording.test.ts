import type { ClosedAttempt, DeliveryQueue } from '@paymount/core/events';
import type { DeliveryId } from '@paymount/core/kernel';
import { expect } from 'chai';
import pg from 'pg';
import { eventually } from '../support/eventually.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { signal } from '../support/signal.ts';
import { type Engine, makeEngine } from './engine.ts';

const LONG_MS = 60_000;

describe('While results cannot be recorded', () => {
  let engine: Engine;
  let receiver: Receiver;
  let other: pg.Client;

  beforeEach(async () => {
    engine = await makeEngine();
    receiver = await startReceiver();
    other = new pg.Client({ connectionString: engine.databaseUrl });
    await other.connect();
  });

  afterEach(async () => {
    await other.end();
    await engine.close();
    await receiver.close();
  });

  const lines = () => engine.lines.map(({ line }) => line);

  it('sends nothing, not even what is overdue, and continues when they can be', async function () {
    this.timeout(LONG_MS);
    const { deliveries } = engine.postgres;
    let polls = 0;
    const counting: DeliveryQueue = {
      ...deliveries,
      databaseTime() {
        polls += 1;
        return deliveries.databaseTime();
      },
    };
    await engine.endpoint(receiver.url);
    const worker = await engine.startWorker({ reconcile: true, deliveries: counting });
    expect(worker.status().sendingHeld).to.equal(false);
    await other.query('BEGIN');
    await other.query('LOCK TABLE paymount.delivery_attempts');
    await engine.publish(20);
    await receiver.waitFor(20);
    // Every lease ends. Each poll asks for the time first, so between two of them it claims.
    for (const next of [polls + 1, polls + 2]) {
      engine.clock.advance(31_000);
      await eventually(() => polls >= next);
    }
    engine.hub.announce((await engine.deliveries()).map(({ id }) => id as DeliveryId));
    await engine.publish(5);
    expect(receiver.requests).to.have.length(20);
    expect(worker.status().sendingHeld).to.equal(true);

    await other.query('COMMIT');
    await receiver.waitFor(25, LONG_MS);
    const states = async () => (await engine.deliveries()).map(({ state }) => state);
    await eventually(states, (all) => all.every((state) => state === 'succeeded'), LONG_MS);
    expect(worker.status().sendingHeld).to.equal(false);
    const ids = receiver.requests.map(({ headers }) => headers['service-delivery']);
    expect([ids.length, new Set(ids).size]).to.deep.equal([25, 25]);
    const outcomes = (await engine.attempts()).map(({ outcome }) => outcome);
    expect(outcomes).to.deep.equal(Array(25).fill('succeeded'));
  });

  it('records in one statement what ends while another one runs', async () => {
    const { deliveries } = engine.postgres;
    const [first, all] = [signal(), signal()];
    const recorded: number[] = [];
    const held: DeliveryQueue = {
      ...deliveries,
      async close(results, decide) {
        recorded.push(results.length);
        first.give();
        await all.given;
        return deliveries.close(results, decide);
      },
    };
    let arrived = 0;
    receiver.otherwise(async () => {
      arrived += 1;
      const isFirst = arrived === 1;
      await receiver.waitFor(4);
      if (!isFirst) await first.given;
      return 200;
    });
    await engine.endpoint(receiver.url);
    const worker = await engine.startWorker({ deliveries: held });
    await engine.publish(4);
    await first.given;
    await eventually(() => worker.status().inFlight['fast'] === 0);
    all.give();
    await worker.drain();
    expect(recorded).to.deep.equal([1, 3]);
  });

  it('records what it did not know to be recorded, once', async () => {
    const { deliveries } = engine.postgres;
    let calls = 0;
    const losing: DeliveryQueue = {
      ...deliveries,
      async close(results, decide) {
        const closed = await deliveries.close(results, decide);
        calls += 1;
        if (calls === 1) throw new Error('Connection terminated');
        return closed;
      },
    };
    await engine.endpoint(receiver.url);
    const worker = await engine.startWorker({ deliveries: losing });
    await engine.publish();
    await worker.drain();
    expect(calls).to.equal(2);
    expect((await engine.deliveries())[0]).to.include({ state: 'succeeded' });
    const outcomes = (await engine.attempts()).map(({ outcome }) => outcome);
    expect(outcomes).to.deep.equal(['succeeded']);
    expect(lines(), 'its own result').not.to.include(
      'warn: Another result of this attempt was first.',
    );
  });

  it('knows when the next attempt is although the first answer of the database was lost', async () => {
    const { deliveries } = engine.postgres;
    const answers: (readonly ClosedAttempt[])[] = [];
    const losing: DeliveryQueue = {
      ...deliveries,
      async close(...given) {
        const closed = await deliveries.close(...given);
        answers.push(closed);
        if (answers.length === 1) throw new Error('Connection terminated');
        return closed;
      },
    };
    receiver.script(500, 200);
    await engine.endpoint(receiver.url);
    const worker = await engine.startWorker({ deliveries: losing });
    await engine.publish();
    await worker.drain();
    const [delivery] = await engine.deliveries();
    const closed = { id: delivery?.id, attempt: 1, closed: true, dueAt: delivery?.due_at };
    expect(answers).to.deep.equal([[closed], [closed]]);
    expect(delivery).to.include({ state: 'pending', attempt: 2 });
    expect(lines()).not.to.include('warn: Another result of this attempt was first.');
  });

  it('gives up one result alone if the database refuses only that', async () => {
    const { deliveries } = engine.postgres;
    let refused: string | undefined;
    const refusing: DeliveryQueue = {
      ...deliveries,
      async close(results, decide) {
        refused ??= results[0]?.id;
        if (results.some(({ id }) => id === refused)) throw new Error('invalid byte sequence');
        return deliveries.close(results, decide);
      },
    };
    receiver.otherwise({ status: 200, afterMs: 100 });
    await engine.endpoint(receiver.url);
    const worker = await engine.startWorker({ deliveries: refusing });
    await engine.publish(4);
    await worker.drain();
    const rows = await engine.deliveries();
    expect(rows.filter(({ state }) => state === 'succeeded')).to.have.length(3);
    expect(rows.find(({ id }) => id === refused)).to.include({ state: 'pending', attempt: 1 });
    expect(lines()).to.include('error: A delivery result was not recorded; it is sent again.');
  });

  it('gives up all results of a batch if the database refuses values of each', async () => {
    const { deliveries } = engine.postgres;
    const first = receiver.holdAnswers();
    let isRefused = true;
    const refusing: DeliveryQueue = {
      ...deliveries,
      close: (results, ...more) =>
        deliveries.close(
          results.map((result) =>
            isRefused ? { ...result, record: { ...result.record, errorDetail: '\0' } } : result,
          ),
          ...more,
        ),
    };
    await engine.endpoint(receiver.url);
    const worker = await engine.startWorker({ deliveries: refusing });
    await engine.publish(2);
    await receiver.waitFor(2);
    first();
    const errors = () => lines().filter((line) => line.includes('it is sent again'));
    await eventually(errors, ({ length }) => length === 2, 10_000);
    isRefused = false;
    expect(errors()).to.deep.equal([
      'error: A delivery result was not recorded; it is sent again.',
      'error: A delivery result was not recorded; it is sent again.',
    ]);
    await engine.publish(1);
    await receiver.waitFor(3);
    await worker.drain();
    expect(worker.status().sendingHeld).to.equal(false);
    const rows = await engine.deliveries();
    expect(rows.map(({ state }) => state).toSorted()).to.deep.equal([
      'pending',
      'pending',
      'succeeded',
    ]);
  });
});
