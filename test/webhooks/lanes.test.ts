import type { EndpointId } from '@paymount/core/kernel';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type Engine, makeEngine } from './engine.ts';

const LONG_MS = 30_000;
const FEW = {
  fast: {
    slots: 8,
    perEndpoint: 2,
    perEndpointRelaxed: 2,
    perOrigin: 64,
    perAccount: 8,
    replays: 2,
    aside: 16,
  },
  slow: {
    slots: 2,
    perEndpoint: 1,
    perEndpointRelaxed: 1,
    perOrigin: 64,
    perAccount: 2,
    replays: 1,
    aside: 0,
  },
};

describe('Endpoints that do not answer', () => {
  let engine: Engine;
  let healthy: Receiver;
  let hung: Receiver;

  beforeEach(async () => {
    engine = await makeEngine();
    healthy = await startReceiver();
    hung = await startReceiver();
    hung.otherwise('hang');
  });

  afterEach(async () => {
    // First, so that no send waits for an answer.
    await hung.close();
    await engine.close();
    await healthy.close();
  });

  const start = () =>
    engine.startWorker({ reconcile: true, limits: FEW, slowAfterMs: 100, deadlineMs: LONG_MS });

  async function lanes(): Promise<Readonly<Record<string, string>>> {
    const rows = await engine.query<{ id: EndpointId; lane: string }>(
      'SELECT id, lane FROM paymount.webhook_endpoints',
    );
    return Object.fromEntries(rows.map(({ id, lane }) => [id, lane]));
  }

  it('leave the slots to the others, which get everything meanwhile', async function () {
    this.timeout(LONG_MS);
    const wanted: Record<string, string> = {};
    for (let count = 0; count < 8; count += 1) {
      wanted[(await engine.endpoint(hung.url)).id] = 'slow';
      wanted[(await engine.endpoint(healthy.url)).id] = 'fast';
    }
    await start();
    await engine.publish(10);
    await healthy.waitFor(80, LONG_MS);
    await hung.waitFor(8, LONG_MS);
    expect(await eventually(lanes, (now) => equal(now, wanted))).to.deep.equal(wanted);
    const states = () =>
      engine.query("SELECT id FROM paymount.deliveries WHERE state = 'succeeded'");
    await eventually(states, (rows) => rows.length === 80);
    // Each has at most two sends: those that moved, and later none, because two slots are few.
    expect(hung.requests.length).to.be.at.most(16);
  });

  it('give back their slots before they count as slow, so that others find one', async function () {
    this.timeout(LONG_MS);
    for (let count = 0; count < 4; count += 1) await engine.endpoint(hung.url);
    await engine.startWorker({
      reconcile: true,
      limits: FEW,
      slowAfterMs: LONG_MS,
      deadlineMs: LONG_MS,
    });
    await engine.publish(2);
    await hung.waitFor(8, LONG_MS);
    await engine.endpoint(healthy.url);
    await engine.publish(2);
    await healthy.waitFor(2, LONG_MS / 3);
    expect(hung.requests, 'an endpoint has no more sends than before').to.have.length(8);
  });

  it('hold no row that cannot be sent, however many are committed at once', async function () {
    this.timeout(LONG_MS);
    await engine.endpoint(hung.url);
    const { deliveries } = engine.postgres;
    let released = 0;
    await engine.startWorker({
      reconcile: true,
      limits: FEW,
      slowAfterMs: LONG_MS,
      deadlineMs: LONG_MS,
      deliveries: {
        ...deliveries,
        release(token, ids) {
          released += ids.length;
          return deliveries.release(token, ids);
        },
      },
    });
    const burst = await engine.publish(20);
    await hung.waitFor(2, LONG_MS);
    await engine.endpoint(healthy.url);
    await engine.publish(20);
    await healthy.waitFor(20, LONG_MS);
    expect(burst).to.have.length(20);
    expect(hung.requests).to.have.length(2);
    expect(released, 'rows that were claimed for nothing').to.equal(0);
  });

  it('are remembered by another worker, and are sent everything once they answer', async function () {
    this.timeout(LONG_MS);
    const { id } = await engine.endpoint(hung.url);
    await engine.query("UPDATE paymount.webhook_endpoints SET lane = 'slow'");
    const worker = await start();
    const answer = hung.holdAnswers();
    await engine.publish(6);
    await hung.waitFor(1);
    // A whole claim, in which the fast lane would have taken two.
    await engine.postgres.deliveries.overdueMs(0);
    expect(hung.requests).to.have.length(1);
    answer();
    await hung.waitFor(6, LONG_MS);
    await worker.drain();
    expect(await lanes()).to.deep.equal({ [id]: 'fast' });
  });

  it('let a fresh event pass the replays to the same endpoint', async () => {
    const { id } = await engine.endpoint(hung.url);
    hung.otherwise(({ headers }) => (headers['service-replay'] === 'true' ? 'hang' : 200));
    await engine.publish();
    await engine.query(`UPDATE paymount.deliveries SET state = 'canceled', finished_at = now()`);
    await engine.query(
      `INSERT INTO paymount.deliveries (account_id, livemode, id, event_id, endpoint_id, event_type,
         origin, state, attempt, due_at, created)
       SELECT v.account_id, v.livemode, 'dlv_' || gen_random_uuid(), v.id, $1, v.type, 'replay',
         'pending', 1, now() - interval '1 minute', now()
       FROM paymount.events v, generate_series(1, 20)`,
      [id],
    );
    const fast = { ...FEW.fast, perEndpoint: 4, perEndpointRelaxed: 4, replays: 8 };
    await engine.startWorker({ reconcile: true, limits: { fast }, deadlineMs: LONG_MS });
    await hung.waitFor(2);
    await engine.publish();
    const requests = await hung.waitFor(3);
    expect(requests.map(({ headers }) => headers['service-replay'] === 'true')).to.deep.equal([
      true,
      true,
      false,
    ]);
  });
});

function equal(some: object, other: object): boolean {
  return JSON.stringify(sorted(some)) === JSON.stringify(sorted(other));
}

function sorted(record: object): unknown {
  return Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
