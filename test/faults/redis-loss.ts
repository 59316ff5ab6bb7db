import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { query } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { isolatedRedis } from '../support/isolated-redis.ts';
import type { RedisServer } from '../support/redis.ts';
import { verifyDatabase } from '../support/verify-database.ts';
import { checkDeliveries } from './delivery-laws.ts';
import type { Host } from './host.ts';
import { type Findings, type Scenario, Tally } from './scenario.ts';
import { type Setting, withSetting } from './setting.ts';
import { openWebhookLog, RECEIVER_CA, type WebhookLog } from './webhook-log.ts';

/**
 * The API runs in one process and the worker in another, so that every first attempt is announced
 * through Redis and nothing but Redis: what Redis loses, only the sweeper finds.
 */
interface Circumstances {
  /** False switches the sweeper of the worker off. */
  readonly reconcile: boolean;
  /** Redis is wiped again and again, killed half-way, and started again. */
  readonly wiped: boolean;
  /** Every tenth first attempt is answered 500, so that its retry waits in Redis. */
  readonly failing: boolean;
}

/** Half of what an account may send to one origin at once, which is 32: those before may be ending. */
const ENDPOINTS = 16;
const CHARGE_EVERY_MS = 20;
const QUEUE_LIMIT_MS = 2_000;
const WIPE_EVERY_MS = 50;
const QUIET_LIMIT_MS = 20_000;
const RETRY_STEP_MS = 6 * 60_000;

/** Redis may vanish at any moment; nothing is lost. */
export const redisLoss: Scenario = {
  name: 'redis-loss',
  law: 'Redis is wiped and killed while events are delivered: none is lost.',
  sizes: { small: 200, nightly: 2000, full: 2000 },
  run: (deliveries) =>
    deliverAll(deliveries, { reconcile: true, wiped: true, failing: true }, async (setup) => {
      await setup.untilQuiet();
      await setup.worker.advance(RETRY_STEP_MS);
      await setup.worker.drain();
      return [
        ...(await verifyDatabase(setup.setting.databaseUrl, 'at rest')),
        ...(await checkDeliveries(setup.setting.databaseUrl, setup.log, setup.tally)),
      ];
    }),
};

/** Without the sweeper and without faults nothing is lost either: the retry queue works. */
export const redisAlone: Scenario = {
  name: 'redis-alone',
  law: 'While Redis is well, the retry queue alone delivers everything.',
  sizes: { small: 200, nightly: 2000, full: 2000 },
  run: (deliveries) =>
    deliverAll(deliveries, { reconcile: false, wiped: false, failing: false }, async (setup) => {
      await setup.untilQuiet();
      return checkDeliveries(setup.setting.databaseUrl, setup.log, setup.tally);
    }),
};

interface Setup {
  readonly setting: Setting;
  readonly worker: Host;
  readonly log: WebhookLog;
  readonly tally: Tally;
  /** Waits until nothing that is due arrives any more. */
  untilQuiet(): Promise<void>;
}

async function deliverAll(
  deliveries: number,
  circumstances: Circumstances,
  validate: (setup: Setup) => Promise<readonly string[]>,
): Promise<Findings> {
  const redis = await isolatedRedis();
  if (redis === undefined) throw new Error('This run needs redis-server.');
  const weather = new RedisWeather(redis);
  const log = await openWebhookLog();
  try {
    return await withSetting(async (setting) => {
      const tally = new Tally();
      const shared = { ca: RECEIVER_CA, redisUrl: redis.url };
      const api = await setting.start(shared);
      await register(setting, api, log);
      const { reconcile, wiped, failing } = circumstances;
      const worker = await setting.start({ ...shared, worker: { reconcile } });
      if (failing) log.answer((arrivals) => (arrivals % 10 === 0 ? 500 : 200));
      if (wiped) weather.start();
      const meanwhile = async (made: number): Promise<void> => {
        if (wiped) await weather.during((made * ENDPOINTS) / deliveries);
        // What finds no slot is left to the sweeper, which is off: the next events come after the last ones.
        if (!reconcile) await untilArrived(log, made * ENDPOINTS);
      };
      await chargeAll(setting, api, deliveries / ENDPOINTS, meanwhile);
      await weather.clear();
      log.answer(200);
      const untilQuiet = (): Promise<void> => quiet(setting, log);
      const violations = await validate({ setting, worker, log, tally, untilQuiet });
      return { violations, counts: { ...tally.toCounts(), ...weather.counts() } };
    });
  } finally {
    await log.close();
    await weather.end();
  }
}

async function register({ merchant }: Setting, api: Host, log: WebhookLog): Promise<void> {
  for (let made = 0; made < ENDPOINTS; made += 1) {
    const answer = await merchant.client.post(`${api.url}/v1/webhook_endpoints`, {
      url: log.url(`endpoint-${made}`),
      enabled_events: ['charge.succeeded'],
    });
    if (answer.status !== 200) throw new Error(`No endpoint could be made: ${answer.text}`);
  }
}

/** One that is lost is found at the end, so nothing waits for it long. */
async function untilArrived(log: WebhookLog, count: number): Promise<void> {
  const arrived = (): number => log.arrivals.length;
  await eventually(arrived, (found) => found >= count, QUEUE_LIMIT_MS).catch(() => undefined);
}

async function chargeAll(
  { merchant }: Setting,
  api: Host,
  charges: number,
  meanwhile: (made: number) => Promise<void>,
): Promise<void> {
  for (let made = 0; made < charges; made += 1) {
    await Promise.all([meanwhile(made), wait(CHARGE_EVERY_MS)]);
    const answer = await merchant.client.post(`${api.url}/v1/charges`, {
      amount: 4200,
      currency: 'eur',
      payment_method: 'pm_card_visa',
    });
    if (answer.status !== 200) throw new Error(`A charge failed without Redis: ${answer.text}`);
  }
}

/** Nothing due is unfinished, or nothing has arrived for two seconds. */
async function quiet({ databaseUrl }: Setting, log: WebhookLog): Promise<void> {
  const deadline = performance.now() + QUIET_LIMIT_MS;
  let arrivals = -1;
  let stillSinceMs = performance.now();
  while (performance.now() < deadline) {
    const [row] = await query<{ open: number }>(
      databaseUrl,
      `SELECT count(*)::int AS open FROM paymount.deliveries
       WHERE state = 'pending' AND due_at <= now()`,
    );
    if (row?.open === 0) return;
    if (arrivals !== log.arrivals.length) stillSinceMs = performance.now();
    else if (performance.now() - stillSinceMs > 2_000) return;
    arrivals = log.arrivals.length;
    await wait(100);
  }
}

/** What happens to Redis: it is wiped all the time, gone from 40 % to 70 %, and fresh afterwards. */
class RedisWeather {
  #server: RedisServer | undefined;
  readonly #port: number;
  #client: Redis | undefined;
  #timer: NodeJS.Timeout | undefined;
  #flushes = 0;
  #kills = 0;

  constructor(server: RedisServer) {
    this.#server = server;
    this.#port = Number(new URL(server.url).port);
  }

  start(): void {
    this.#client = new Redis(this.#port, '127.0.0.1', { maxRetriesPerRequest: 0 });
    // It is meant to go away.
    this.#client.on('error', () => undefined);
    this.#timer = setInterval(() => void this.#flush(), WIPE_EVERY_MS);
  }

  /** @param share of the work that is done */
  async during(share: number): Promise<void> {
    if (share >= 0.4 && this.#kills === 0) {
      this.#kills += 1;
      await this.#server?.stop();
      this.#server = undefined;
    }
    if (share >= 0.7) await this.#startAgain();
  }

  /** The fault is over. */
  async clear(): Promise<void> {
    clearInterval(this.#timer);
    await this.#startAgain();
    this.#client?.disconnect();
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    this.#client?.disconnect();
    await this.#server?.stop();
  }

  counts(): Record<string, number> {
    return { 'Redis wiped': this.#flushes, 'Redis killed': this.#kills };
  }

  async #startAgain(): Promise<void> {
    if (this.#server === undefined) this.#server = await isolatedRedis(this.#port);
  }

  async #flush(): Promise<void> {
    if (this.#client?.status !== 'ready') return;
    await this.#client.flushall().then(
      () => {
        this.#flushes += 1;
      },
      () => undefined,
    );
  }
}
