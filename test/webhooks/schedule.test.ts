import type { Worker } from '@paymount/webhooks';
import { expect } from 'chai';
import { verify } from 'paymount-receiver';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type Engine, makeEngine } from './engine.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const WAITS_MS = [
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  24 * HOUR_MS,
  48 * HOUR_MS,
];

describe('The retry schedule', () => {
  let engine: Engine;
  let worker: Worker;
  let receiver: Receiver;

  beforeEach(async () => {
    engine = await makeEngine();
    receiver = await startReceiver();
    worker = await engine.startWorker();
  });

  afterEach(async () => {
    await engine.close();
    await receiver.close();
  });

  /** Waits out what is left until the one delivery is due. */
  const untilDue = async (): Promise<number> => {
    const [delivery] = await engine.deliveries();
    const leftMs = (delivery?.due_at.getTime() ?? 0) - engine.clock.now().getTime();
    return leftMs;
  };

  it('makes eight attempts after 0, 5 and 30 min, 2, 6, 12, 24 and 48 h, and gives up', async () => {
    receiver.otherwise(500);
    const { secret } = await engine.endpoint(`${receiver.url}/hook`);
    const [event] = await engine.publish();
    await worker.drain();
    for (const [index, waitMs] of WAITS_MS.entries()) {
      expect(receiver.requests).to.have.length(index + 1);
      const leftMs = await untilDue();
      const jitterMs = Math.min(waitMs * 0.01, MINUTE_MS);
      expect(leftMs, `wait ${index + 1}`).to.be.within(waitMs - 1_000, waitMs + jitterMs + 100);
      engine.clock.advance(leftMs - 500);
      await worker.drain();
      expect(receiver.requests, 'early').to.have.length(index + 1);
      engine.clock.advance(600);
      await worker.drain();
    }
    expect(receiver.requests).to.have.length(8);
    engine.clock.advance(100 * HOUR_MS);
    await worker.drain();
    expect(receiver.requests).to.have.length(8);
    const [delivery] = await engine.deliveries();
    expect(delivery).to.include({
      state: 'failed',
      attempt: 8,
      last_status: 500,
      last_error: 'http_status',
    });
    const attempts = await engine.attempts();
    expect(attempts.map(({ attempt, outcome }) => [attempt, outcome])).to.deep.equal(
      [1, 2, 3, 4, 5, 6, 7, 8].map((attempt) => [attempt, 'failed']),
    );
    const bodies = receiver.requests.map(({ body }) => body.toString());
    expect(new Set(bodies)).to.deep.equal(new Set([event?.body]));
    receiver.requests.forEach(({ headers, body }, index) => {
      const now = attempts[index]?.started_at ?? new Date(0);
      expect(verify({ headers, body, secret, now }).id).to.equal(event?.id);
      expect(headers['service-attempt']).to.equal(String(index + 1));
      expect(headers['webhook-id']).to.equal(event?.id);
    });
  });

  it('retries five minutes after a 500, and stops once answered 200', async () => {
    receiver.script(500, 200);
    await engine.endpoint(receiver.url);
    await engine.publish();
    await worker.drain();
    engine.clock.advance(5 * MINUTE_MS - 1_000);
    await worker.drain();
    expect(receiver.requests).to.have.length(1);
    engine.clock.advance(5_000);
    await worker.drain();
    expect(receiver.requests).to.have.length(2);
    expect((await engine.deliveries())[0]).to.include({ state: 'succeeded', last_status: 200 });
  });

  it('waits as a 429 asks, but never over twice the schedule', async () => {
    receiver.script(
      { status: 429, headers: { 'Retry-After': '480' } },
      { status: 503, headers: { 'Retry-After': '86400' } },
      { status: 503, headers: { 'Retry-After': '1' } },
    );
    await engine.endpoint(receiver.url);
    await engine.publish();
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await worker.drain();
      const leftMs = await untilDue();
      waits.push(Math.round(leftMs / MINUTE_MS));
      engine.clock.advance(leftMs + 100);
    }
    expect(waits[0]).to.equal(8);
    expect(waits[1]).to.equal(60);
    expect(waits[2]).to.be.within(120, 122);
  });

  it('counts a wait from the end of the attempt before', async () => {
    receiver.script('hang');
    await engine.endpoint(receiver.url);
    await engine.publish();
    await worker.drain();
    const [attempt] = await engine.attempts();
    expect(attempt).to.include({ outcome: 'failed', error_code: 'timeout' });
    const [delivery] = await engine.deliveries();
    const waitMs = (delivery?.due_at.getTime() ?? 0) - (attempt?.started_at.getTime() ?? 0);
    // At most 3 s are random; on a busy machine the result reaches the database some seconds later.
    expect(waitMs).to.be.within(5 * MINUTE_MS + 2_000 - 20, 5 * MINUTE_MS + 2_000 + 13_000);
  });
});
