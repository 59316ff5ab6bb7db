import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type Engine, makeEngine } from './engine.ts';

/** One send to an endpoint at a time; as many as three may wait once it has answered. */
const ONE_AT_A_TIME = {
  fast: {
    slots: 2,
    perEndpoint: 1,
    perEndpointRelaxed: 3,
    perOrigin: 64,
    accountShare: 64,
    reserved: 0,
    replays: 1,
    aside: 0,
  },
};

describe('First attempts that find no free slot', () => {
  let engine: Engine;
  let receiver: Receiver;
  let claims: number;

  beforeEach(async () => {
    engine = await makeEngine();
    receiver = await startReceiver();
    await engine.endpoint(receiver.url);
    claims = 0;
  });

  afterEach(async () => {
    await receiver.close();
    await engine.close();
  });

  /** Claims nothing before `drain()`, so that only what the worker was told of is sent. */
  async function start() {
    const claimById = async () => {
      claims += 1;
      return { deliveries: [], left: [] };
    };
    const deliveries = { ...engine.postgres.deliveries, claimById };
    return engine.startWorker({ limits: ONE_AT_A_TIME, deliveries });
  }

  const leased = async (): Promise<number> =>
    (await engine.deliveries()).filter(({ lease_token }) => lease_token !== null).length;

  it('wait with their lease, and are sent without a claim', async () => {
    await start();
    const answer = receiver.holdAnswers();
    await engine.publish(2);
    expect(await leased()).to.equal(2);
    expect(await receiver.waitFor(1)).to.have.length(1);
    answer();
    await receiver.waitFor(2);
    await eventually(leased, (count) => count === 0);
    expect(claims).to.equal(0);
  });

  it('wait in the order of their events', async () => {
    const worker = await start();
    await engine.publish();
    await worker.drain();
    const answer = receiver.holdAnswers();
    const events = await engine.publish(4);
    answer();
    const requests = await receiver.waitFor(5);
    const sent = requests.slice(1).map(({ body }) => JSON.parse(`${body}`).id);
    expect(sent).to.deep.equal(events.map(({ id }) => id));
  });

  it('wait only as many as may be sent, and then none until claims had their turn', async () => {
    const worker = await start();
    await engine.publish();
    await worker.drain();
    const first = receiver.holdAnswers();
    await engine.publish(5);
    expect(await leased(), 'one is sent, and three wait').to.equal(4);
    await receiver.waitFor(2);
    const second = receiver.holdAnswers();
    first();
    await receiver.waitFor(3);
    await eventually(leased, (count) => count === 3);
    await engine.publish();
    expect(await leased(), 'one is sent, and two wait').to.equal(3);
    second();
    await worker.drain();
    engine.clock.advance(1_000);
    const third = receiver.holdAnswers();
    await engine.publish(2);
    expect(await leased(), 'one is sent, and one waits').to.equal(2);
    third();
    expect(await receiver.waitFor(9)).to.have.length(9);
  });

  it('are released when the worker is closed', async () => {
    const worker = await start();
    const answer = receiver.holdAnswers();
    await engine.publish(2);
    const closed = worker.close();
    await eventually(leased, (count) => count === 1);
    answer();
    await closed;
    const states = (await engine.deliveries()).map(({ state }) => state).toSorted();
    expect(states).to.deep.equal(['pending', 'succeeded']);
    expect(receiver.requests).to.have.length(1);
  });
});
