import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import { verifyDatabase } from '../support/verify-database.ts';
import { RestartableRedis } from './deliveries/restartable-redis.ts';
import { checkDeliveries } from './delivery-laws.ts';
import type { Host } from './host.ts';
import { type Scenario, Tally } from './scenario.ts';
import { type Setting, withSetting } from './setting.ts';
import { openWebhookLog, RECEIVER_CA, type WebhookLog } from './webhook-log.ts';

/** Charges a second, whether or not earlier ones are answered. */
const RATE = 20;
const MAX_RISE_MS = 5;
/** The first attempt of an event during the outage begins sooner. */
const MAX_DELAY_MS = 5_000;
const WARM_UP_SECONDS = 5;
const ARRIVAL_LIMIT_MS = 30_000;
const WORKERS = 2;

/** What callers and receivers saw in one stretch of time. */
export interface Stretch {
  /** How long each answer took. */
  readonly answersMs: readonly number[];
  /** How long after its answer each event arrived for the first time. */
  readonly delaysMs: readonly number[];
  readonly failed: number;
}

/** Size is the length of the outage in seconds; half as long Redis is well before it, and after it. */
export const redisOutage: Scenario = {
  name: 'redis-outage',
  law: 'While Redis is gone, deliveries go on, and p99 of the API rises by at most 5 ms.',
  sizes: { small: 10, nightly: 60, full: 600 },
  async run(seconds) {
    const redis = await RestartableRedis.start();
    const arrivedAtMs = new Map<string, number>();
    const log = await openWebhookLog(({ body, receivedAtMs }) => {
      const { id } = JSON.parse(body.toString()).data.object as { readonly id: string };
      if (!arrivedAtMs.has(id)) arrivedAtMs.set(id, receivedAtMs);
    });
    try {
      return await withSetting(async (setting) => {
        const shared = { ca: RECEIVER_CA, redisUrl: redis.url };
        const api = await setting.start(shared);
        for (let made = 0; made < WORKERS; made += 1)
          await setting.start({ ...shared, worker: {} });
        await register(setting, api, log);
        const load = (length: number): Promise<Stretch> =>
          chargeFor(length, setting, api, arrivedAtMs);
        await load(WARM_UP_SECONDS);
        const before = await load(seconds / 2);
        await redis.kill();
        const without = await load(seconds);
        await redis.startAgain();
        const after = await load(seconds / 2);
        const tally = new Tally();
        const well = join(before, after);
        const violations = [
          ...checkOutage(well, without),
          ...(await checkDeliveries(setting.databaseUrl, log, tally)),
          ...(await verifyDatabase(setting.databaseUrl, 'at rest')),
        ];
        return { violations, counts: { ...tally.toCounts(), ...measures(well, without) } };
      });
    } finally {
      await log.close();
      await redis.stop();
    }
  },
};

/** The laws of an outage. */
export function checkOutage(well: Stretch, without: Stretch): readonly string[] {
  const riseMs = p99(without.answersMs) - p99(well.answersMs);
  const slowest = Math.round(Math.max(0, ...without.delaysMs));
  return [
    ...(riseMs > MAX_RISE_MS ? [`p99 of the API rose by ${riseMs.toFixed(1)} ms.`] : []),
    ...(without.failed > 0 ? [`${without.failed} charges failed without Redis.`] : []),
    ...(slowest > MAX_DELAY_MS ? [`Without Redis an event arrived after ${slowest} ms.`] : []),
  ];
}

async function register({ merchant }: Setting, api: Host, log: WebhookLog): Promise<void> {
  const parameters = { url: log.url('shop'), enabled_events: ['charge.succeeded'] };
  const answer = await merchant.client.post(`${api.url}/v1/webhook_endpoints`, parameters);
  if (answer.status !== 200) throw new Error(`No endpoint could be made: ${answer.text}`);
}

/** Charges at a steady rate, and waits until the events have arrived. */
async function chargeFor(
  seconds: number,
  { merchant }: Setting,
  api: Host,
  arrivedAtMs: ReadonlyMap<string, number>,
): Promise<Stretch> {
  const answersMs: number[] = [];
  const answeredAtMs = new Map<string, number>();
  let failed = 0;
  async function charge(): Promise<void> {
    const beganMs = performance.now();
    const answer = await merchant.client
      .post(`${api.url}/v1/charges`, {
        amount: 4200,
        currency: 'eur',
        payment_method: 'pm_card_visa',
      })
      .catch(() => undefined);
    if (answer?.status !== 200) {
      failed += 1;
      return;
    }
    answersMs.push(performance.now() - beganMs);
    answeredAtMs.set(String(answer.json['id']), performance.now());
  }
  const startedMs = performance.now();
  const running: Promise<void>[] = [];
  for (let made = 0; made < seconds * RATE; made += 1) {
    await wait(Math.max(0, startedMs + (made * 1_000) / RATE - performance.now()));
    running.push(charge());
  }
  await Promise.all(running);
  const ids = [...answeredAtMs];
  await eventually(() => ids.every(([id]) => arrivedAtMs.has(id)), Boolean, ARRIVAL_LIMIT_MS);
  const delaysMs = ids.map(([id, atMs]) => Math.max(0, (arrivedAtMs.get(id) ?? 0) - atMs));
  return { answersMs, delaysMs, failed };
}

function join(first: Stretch, second: Stretch): Stretch {
  return {
    answersMs: [...first.answersMs, ...second.answersMs],
    delaysMs: [...first.delaysMs, ...second.delaysMs],
    failed: first.failed + second.failed,
  };
}

function measures(well: Stretch, without: Stretch): Record<string, number> {
  return {
    'charges with Redis': well.answersMs.length,
    'charges without Redis': without.answersMs.length,
    'us to an answer with Redis, p99': Math.round(p99(well.answersMs) * 1_000),
    'us to an answer without Redis, p99': Math.round(p99(without.answersMs) * 1_000),
    'ms to an arrival with Redis, p99': Math.round(p99(well.delaysMs)),
    'ms to an arrival without Redis, p99': Math.round(p99(without.delaysMs)),
    'ms to an arrival without Redis, p50': Math.round(quantile(without.delaysMs, 0.5)),
    'ms to an arrival without Redis, at most': Math.round(Math.max(0, ...without.delaysMs)),
  };
}

function p99(values: readonly number[]): number {
  return quantile(values, 0.99);
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? 0;
}
