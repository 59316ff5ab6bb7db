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
    accountShare: 64,
    reserved: 0,
    replays: 2,
    aside: 16,
  },
  slow: {
    slots: 2,
    perEndpoint: 1,
    perEndpointRelaxed: 1,
    perOrigin: 64,
    accountShare: 64,
    reserved: 0,
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

  it('give back their slots of the slow lane once they are late, so that all are asked', async function () {
    this.timeout(LONG_MS);
    for (let count = 0; count < 6; count += 1) await engine.endpoint(hung.url);
    await engine.query("UPDATE paymount.webhook_endpoints SET lane = 'slow'");
    await engine.publish(1);
    const slow = { ...FEW.slow, aside: 4 };
    const limits = { ...FEW, slow };
    const times = { slowAfterMs: 100, deadlineMs: LONG_MS };
    const worker = await engine.startWorker({ reconcile: true, limits, ...times });
    await hung.waitFor(6, LONG_MS / 2);
    expect(worker.status().inFlight).to.deep.equal({ fast: 0, slow: 6 });
  });

  it('do not keep one waiting that answered before, and is back', async function () {
    this.timeout(LONG_MS);
    const dead: EndpointId[] = [];
    for (let count = 0; count < 20; count += 1) dead.push((await engine.endpoint(hung.url)).id);
    const { id } = await engine.endpoint(healthy.url);
    const { deliveries } = engine.postgres;
    await engine.publish(1);
    await engine.query(
      "UPDATE paymount.deliveries SET state = 'succeeded', finished_at = now() WHERE endpoint_id = $1",
      [id],
    );
    await deliveries.changeLanes(new Map([...dead, id].map((each) => [each, 'slow'])));
    const quick = await engine.query('SELECT id FROM paymount.webhook_endpoints WHERE was_quick');
    expect(quick).to.deep.equal([{ id }]);
    await engine.publish(3);
    // Its id is the last, and each of the others holds its slot until the deadline.
    const limits = { ...FEW, slow: { ...FEW.slow, aside: 0 } };
    await engine.startWorker({ reconcile: true, limits, slowAfterMs: 100, deadlineMs: 500 });
    await healthy.waitFor(1, LONG_MS / 2);
    expect(hung.requests.length, 'of 20, with two slots').to.be.at.most(6);
  });

  it('of accounts with many leave slots to an account with one', async function () {
    this.timeout(LONG_MS);
    const single = await engine.account();
    await engine.endpoint(healthy.url, single);
    const large = [engine.owner, await engine.account(), await engine.account()];
    for (const owner of large) {
      for (let count = 0; count < 8; count += 1) await engine.endpoint(hung.url, owner);
    }
    const fast = { ...FEW.fast, slots: 16, perEndpoint: 1, accountShare: 3, reserved: 4 };
    const limits = { ...FEW, fast: { ...fast, aside: 0 } };
    // They answer just in time not to count as slow.
    const times = { slowAfterMs: LONG_MS, deadlineMs: LONG_MS };
    await engine.startWorker({ reconcile: true, limits, ...times });
    for (const owner of large) await engine.publish(3, engine.postgres.storage, owner);
    await hung.waitFor(12, LONG_MS / 2);
    await engine.publish(5, engine.postgres.storage, single);
    await healthy.waitFor(5, LONG_MS / 2);
    expect(hung.requests.length).to.be.within(12, 15);
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
