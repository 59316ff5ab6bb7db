import { type DeliveryId, newId, noCrashPoint } from '@paymount/core/kernel';
import {
  announceThrough,
  createRetryQueue,
  QUEUE_NAME,
  queuePrefix,
  type WorkerOptions,
} from '@paymount/webhooks';
import { type Job, Queue } from 'bullmq';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { eventually } from '../support/eventually.ts';
import { SILENT } from '../support/host.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { ownRedis, type RedisServer } from '../support/redis.ts';
import { type Engine, makeEngine } from './engine.ts';

const FIVE_MINUTES_MS = 300_000;
const SCHEMA = 'paymount';
const PRODUCER = { enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: 500 };
const RETRY_LISTENER = { maxRetriesPerRequest: null };

function portOf(redis: RedisServer): number {
  return Number(new URL(redis.url).port);
}

describe('The retry queue', function () {
  this.timeout(20_000);
  let redis: RedisServer;
  let engine: Engine;
  let receiver: Receiver;
  let jobs: Queue;
  const clients: Redis[] = [];

  const connect = (options: typeof PRODUCER | typeof RETRY_LISTENER): Redis => {
    const client = new Redis({ ...options, port: portOf(redis), retryStrategy: () => 50 });
    client.on('error', () => undefined);
    clients.push(client);
    return client;
  };
  const redisOf = (): NonNullable<WorkerOptions['redis']> => ({
    queue: connect(PRODUCER),
    retryListener: connect(RETRY_LISTENER),
    schema: SCHEMA,
  });
  const jobsIn = async (): Promise<readonly Job[]> =>
    jobs.getJobs(['delayed', 'wait', 'active', 'completed', 'failed']);

  beforeEach(async function () {
    redis = await ownRedis(this);
    engine = await makeEngine();
    receiver = await startReceiver();
    await engine.endpoint(receiver.url);
    jobs = new Queue(QUEUE_NAME, {
      connection: connect(RETRY_LISTENER),
      prefix: queuePrefix(SCHEMA),
    });
    jobs.on('error', () => undefined);
    await jobs.waitUntilReady();
  });

  afterEach(async () => {
    await engine.close();
    await receiver.close();
    for (const client of clients.splice(0)) client.disconnect();
    await redis.stop();
  });

  it('holds one delayed job per retry, named for its attempt, with nothing but names in it', async () => {
    receiver.otherwise(500);
    const worker = await engine.startWorker({ redis: redisOf() });
    await engine.publish();
    await worker.drain();
    await eventually(async () => (await jobsIn()).length === 1);
    const [job] = await jobsIn();
    const [delivery] = await engine.deliveries();
    expect(job?.id).to.equal(`${delivery?.id}-2`);
    expect(job?.data).to.deep.equal({ id: delivery?.id, attempt: 2 });
    expect(job?.opts).to.include({ attempts: 1, removeOnComplete: true, removeOnFail: true });
    expect(job?.opts.delay).to.be.within(FIVE_MINUTES_MS - 2_000, FIVE_MINUTES_MS + 3_000);
    const keys = await clients[0]?.keys('*');
    expect(keys?.every((key) => key.startsWith(`{paymount:${SCHEMA}}:${QUEUE_NAME}:`))).to.equal(
      true,
    );
  });

  it('rings for an attempt that is due, and leaves no job behind', async () => {
    receiver.script(500);
    const worker = await engine.startWorker({ redis: redisOf() });
    await engine.publish();
    await worker.drain();
    await eventually(async () => (await jobsIn()).length === 1);
    engine.clock.advance(FIVE_MINUTES_MS + 4_000);
    const [job] = await jobsIn();
    await job?.promote();
    await receiver.waitFor(2);
    await eventually(async () => (await jobsIn()).length === 0);
    await worker.drain();
    expect((await engine.deliveries())[0]).to.include({ state: 'succeeded', attempt: 2 });
  });

  it('cannot make an attempt before it is due, nor one that was made', async () => {
    receiver.script(500);
    const worker = await engine.startWorker({ redis: redisOf() });
    await engine.publish();
    await worker.drain();
    await eventually(async () => (await jobsIn()).length === 1);
    const [delivery] = await engine.deliveries();
    for (const attempt of [1, 2, 3]) {
      await jobs.add('attempt', { id: delivery?.id, attempt }, { removeOnComplete: true });
    }
    await eventually(async () => (await jobs.getJobCounts('wait', 'active'))['wait'] === 0);
    await worker.drain();
    expect(receiver.requests).to.have.length(1);
  });

  it('wakes a worker elsewhere for events of a process without a worker', async () => {
    const queue = createRetryQueue({
      client: connect(PRODUCER),
      schema: SCHEMA,
      logger: SILENT,
      crashPoint: noCrashPoint,
    });
    await eventually(() => queue.healthy());
    await engine.startWorker({ redis: redisOf() });
    const apiOnly = announceThrough((ids) =>
      queue.schedule(ids.map((id) => ({ id, attempt: 1, delayMs: 0 }))),
    );
    // This process dispatches through the queue alone, as one without a worker.
    engine.hub.attach(apiOnly);
    await engine.publish(3);
    await receiver.waitFor(3);
    await queue.close();
  });

  it('forgets attempts that no delivery waits for any more, page by page', async () => {
    receiver.otherwise(500);
    const worker = await engine.startWorker({ redis: redisOf() });
    await engine.publish(6);
    await worker.drain();
    await eventually(async () => (await jobsIn()).length === 6);
    const [waiting, ...others] = await engine.deliveries();
    // Canceled, parked, delivered by hand, deleted; one waits for another attempt by now.
    const changes = [
      "UPDATE paymount.deliveries SET state = 'canceled', finished_at = now() WHERE id = $1",
      "UPDATE paymount.deliveries SET state = 'parked' WHERE id = $1",
      "UPDATE paymount.deliveries SET state = 'succeeded', finished_at = now() WHERE id = $1",
      'DELETE FROM paymount.deliveries WHERE id = $1',
      'UPDATE paymount.deliveries SET attempt = 3 WHERE id = $1',
    ];
    for (const [index, change] of changes.entries()) {
      await engine.query(change, [others[index]?.id]);
    }
    await jobs.add('other', {}, { jobId: 'not-one-of-ours', delay: FIVE_MINUTES_MS });
    const queue = createRetryQueue({
      client: connect(PRODUCER),
      schema: SCHEMA,
      logger: SILENT,
      crashPoint: noCrashPoint,
    });
    await eventually(() => queue.healthy());
    const { findWaiting } = engine.postgres.deliveries;
    expect(await queue.prune(0, findWaiting)).to.deep.equal({ removed: 5 });
    const left = (await jobsIn()).map(({ id }) => id);
    expect(left).to.have.members([`${waiting?.id}-2`, 'not-one-of-ours']);
    await queue.close();
  });

  it('removes what it cannot read, and says so', async () => {
    await engine.startWorker({ redis: redisOf() });
    const bad = [{}, { id: 'ch_1', attempt: 1 }, { id: newId('dlv'), attempt: 'x' }, null];
    for (const data of bad) await jobs.add('attempt', data, { removeOnComplete: true });
    await eventually(async () => (await jobsIn()).length === 0);
    const warnings = engine.lines.filter(
      ({ line }) => line === 'warn: An unknown job was removed.',
    );
    expect(warnings).to.have.length(4);
  });

  it('may be flushed at any time: the sweeper finds every delivery', async () => {
    receiver.otherwise(500);
    const worker = await engine.startWorker({ redis: redisOf() });
    await engine.publish(20);
    await worker.drain();
    await eventually(async () => (await jobsIn()).length === 20);
    await clients[0]?.flushall();
    receiver.otherwise(200);
    engine.clock.advance(FIVE_MINUTES_MS + 4_000);
    await worker.drain();
    const states = (await engine.deliveries()).map(({ state }) => state);
    expect(states).to.deep.equal(Array(20).fill('succeeded'));
    expect(receiver.requests).to.have.length(40);
  });

  it('may lose its Redis: retries continue, and it is used again when it is back', async function () {
    receiver.otherwise(500);
    const worker = await engine.startWorker({ redis: redisOf(), reconcile: true });
    await eventually(() => clients.every(({ status }) => status === 'ready'));
    const port = portOf(redis);
    await redis.stop();
    await engine.publish(5);
    await receiver.waitFor(5);
    await worker.drain();
    engine.clock.advance(FIVE_MINUTES_MS + 4_000);
    await receiver.waitFor(10);
    redis = await ownRedis(this, { port });
    await eventually(() => clients.every(({ status }) => status === 'ready'));
    await engine.publish(1);
    await eventually(async () => (await jobsIn()).length > 0);
  });

  it('delays nothing, and lets the worker close, when Redis is unreachable', async () => {
    await redis.stop();
    const startedMs = performance.now();
    const worker = await engine.startWorker({ redis: redisOf() });
    await engine.publish();
    await receiver.waitFor(1);
    await worker.drain();
    await worker.close();
    expect(performance.now() - startedMs).to.be.below(5_000);
    expect((await engine.deliveries())[0]).to.include({ state: 'succeeded' });
  });

  it('says at boot that Redis may evict its jobs', async () => {
    await clients[0]?.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await engine.startWorker({ redis: redisOf() });
    const wanted = 'error: Redis may evict scheduled retries; set maxmemory-policy to noeviction.';
    await eventually(() => engine.lines.some(({ line }) => line === wanted));
  });
});

describe('A lost retry', () => {
  it('stays lost without the sweeper, so these tests would see a loss', async function () {
    const redis = await ownRedis(this);
    const engine = await makeEngine();
    const receiver = await startReceiver({ script: [500] });
    await engine.endpoint(receiver.url);
    const [queue, retryListener] = [PRODUCER, RETRY_LISTENER].map((options) => {
      const client = new Redis({ ...options, port: portOf(redis) });
      client.on('error', () => undefined);
      return client;
    });
    if (queue === undefined || retryListener === undefined) throw new Error('no clients');
    await engine.startWorker({ redis: { queue, retryListener, schema: SCHEMA }, reconcile: false });
    await eventually(() => queue.status === 'ready');
    await engine.publish();
    await receiver.waitFor(1);
    const pending = async (): Promise<boolean> => (await engine.deliveries())[0]?.attempt === 2;
    await eventually(pending);
    await retryListener.flushall();
    engine.clock.advance(FIVE_MINUTES_MS + 4_000);
    const [delivery] = await engine.deliveries();
    const { deliveries } = engine.postgres;
    expect((await deliveries.overdueMs(engine.clock.shiftMs)).fast).to.be.greaterThan(0);
    expect(receiver.requests).to.have.length(1);
    expect((delivery?.id ?? '') as DeliveryId).to.match(/^dlv_/);
    await engine.close();
    queue.disconnect();
    retryListener.disconnect();
    await receiver.close();
    await redis.stop();
  });
});
