import { Cleanup } from '../support/cleanup.ts';
import { cpuOfProcess } from '../support/cpu-time.ts';
import { findRedis, REDIS_CURE } from '../support/redis.ts';
import { percentile } from '../support/statistics.ts';
import { type Child, startChild } from './child.ts';
import { type BenchDatabase, openBenchDatabase } from './database.ts';
import { deliverySide } from './delivery-side.ts';
import { type Figure, type Measurement, NotMeasured } from './figure.ts';
import type { DeliveryRun } from './outstanding.ts';
import type { Arrivals } from './receiver-child.ts';
import {
  invalidReasons,
  type Rounds,
  reportSide,
  runRounds,
  type Settings,
  type Side,
} from './rounds.ts';
import { seedAccounts } from './seeds.ts';

const ENDPOINTS = 20;
const LATENCY_ROUND_LIMIT = 100_000;

/**
 * Events delivered and logged against a bare loop that signs and POSTs, without a database: each
 * event is committed by a transaction of its own and goes to the 20 endpoints of its account.
 */
export function measureDeliver(settings: Settings): Promise<Measurement> {
  return againstLoop(settings, 1, { atLeast: 0.4, goal: 0.5 });
}

/** The same with one endpoint for each event, where commits outweigh deliveries. */
export function measureDeliverSingle(settings: Settings): Promise<Measurement> {
  return againstLoop(settings, ENDPOINTS, { atLeast: 0.3, goal: 0.4 });
}

function againstLoop(settings: Settings, accounts: number, limits: Limits): Promise<Measurement> {
  return withDelivery(settings, accounts, async ({ receiver, ports, subject, cleanup }) => {
    const loop = await startChild('undici-loop-child.ts', { BENCH_ACCOUNTS: String(accounts) });
    cleanup.onEnd(() => loop.stop());
    await loop.ask('start', ports);
    const floor = deliverySide('undici loop', loop, receiver);
    const rounds = await runRounds({ subject, floor }, settings);
    return comparison(rounds, 'undici loop, no database', limits);
  });
}

/** As `deliver`, against a worker with one BullMQ job per delivery. */
export async function measureDeliverNaive(settings: Settings): Promise<Measurement> {
  return withDelivery(settings, 1, async ({ receiver, ports, subject, cleanup, database }) => {
    const redis = await findRedis(() => undefined);
    if (redis === undefined) throw new NotMeasured(`there is no Redis; ${REDIS_CURE}`);
    cleanup.onEnd(() => redis.stop());
    const naive = await startChild('naive-child.ts', {
      BENCH_DATABASE_URL: database.url,
      BENCH_REDIS_URL: redis.url,
      BENCH_ACCOUNTS: '1',
    });
    cleanup.onEnd(() => naive.stop());
    await naive.ask('start', ports);
    const redisPid = await naive.ask<number>('redisPid');
    const floor = deliverySide('naive worker', naive, receiver, {
      before: async () => {
        await database.query('TRUNCATE naive.events, naive.deliveries, naive.attempts');
        await database.reset();
      },
      otherCpu: () => ({ postgres: database.cpuMicros(), redis: cpuOfProcess(redisPid) }),
    });
    const rounds = await runRounds({ subject, floor }, settings);
    return comparison(rounds, 'one BullMQ job per delivery', { atLeast: 5, goal: 6 });
  });
}

/**
 * From the beginning of an event's transaction to its receipt, at half of the rate that one
 * endpoint per event reaches.
 */
export async function measureLatency(settings: Settings): Promise<Measurement> {
  return withDelivery(settings, ENDPOINTS, async ({ receiver, sender, database }) => {
    const values: number[] = [];
    const medians: number[] = [];
    const invalid: string[] = [];
    const { operations, seconds } = await sender.ask<DeliveryRun>('run', settings.seconds);
    const perSecond = Math.min(operations / seconds / 2, LATENCY_ROUND_LIMIT / settings.seconds);
    for (let round = 0; round < settings.rounds; round += 1) {
      await database.reset();
      await receiver.ask('reset', true);
      const committed = await sender.ask<ReadonlyMap<string, number>>('pace', {
        perSecond,
        seconds: settings.seconds,
      });
      const { atMs, requests } = await receiver.ask<Arrivals>('arrivals');
      if (requests !== committed.size) invalid.push(`${requests} of ${committed.size} came`);
      const latencies = [...committed].map(([id, at]) => (atMs.get(id) ?? Number.NaN) - at);
      values.push(percentile(latencies, 0.99));
      medians.push(percentile(latencies, 0.5));
      settings.say(`  round ${round + 1}: p99 ${values.at(-1)?.toFixed(1)} ms`);
    }
    return {
      figures: [
        { name: 'transaction to receipt, p99', unit: 'ms', values, atMost: 25, goal: 10 },
        { name: 'transaction to receipt, p50', unit: 'ms', values: medians },
      ],
      sides: [{ side: 'paced', operationsPerSecond: perSecond, cpuMicros: {} }],
      invalid,
    };
  });
}

type Limits = Pick<Figure, 'atLeast' | 'goal'>;

interface Delivery {
  readonly receiver: Child;
  readonly ports: readonly number[];
  readonly sender: Child;
  readonly subject: Side;
  readonly database: BenchDatabase;
  readonly cleanup: Cleanup;
}

/** Sets up what every one of these measures: a receiver of 20 endpoints, and our worker. */
async function withDelivery(
  settings: Settings,
  accounts: number,
  measure: (delivery: Delivery) => Promise<Measurement>,
): Promise<Measurement> {
  const cleanup = new Cleanup();
  try {
    const database = cleanup.add(await openBenchDatabase(settings.server));
    await seedAccounts(database, accounts);
    const receiver = await startChild('receiver-child.ts');
    cleanup.onEnd(() => receiver.stop());
    const ports = await receiver.ask<readonly number[]>('listen', ENDPOINTS);
    const sender = await startChild('deliver-child.ts', {
      BENCH_DATABASE_URL: database.url,
      BENCH_ACCOUNTS: String(accounts),
    });
    cleanup.onEnd(() => sender.stop());
    await sender.ask('start', ports);
    const subject = deliverySide('paymount', sender, receiver, {
      before: () => database.reset(),
      otherCpu: () => ({ postgres: database.cpuMicros() }),
      check: (operations) => checkLog(database, operations, ENDPOINTS / accounts),
    });
    return await measure({ receiver, ports, sender, subject, database, cleanup });
  } finally {
    await cleanup.run();
  }
}

/** Every event has its delivery, done, and its attempt in the log. */
async function checkLog(
  database: BenchDatabase,
  operations: number,
  perEvent: number,
): Promise<readonly string[]> {
  const counts = {
    'deliveries of events': (await database.count('events')) * perEvent,
    'deliveries that succeeded': await database.count('deliveries', "state = 'succeeded'"),
    'attempts in the log': await database.count('delivery_attempts', "outcome = 'succeeded'"),
  };
  return Object.entries(counts)
    .filter(([, count]) => count !== operations)
    .map(([rows, count]) => `${count} ${rows} for ${operations} deliveries`);
}

function comparison(rounds: Rounds, floor: string, limits: Limits): Measurement {
  return {
    figures: [{ name: 'ratio', unit: '', values: rounds.ratios, ...limits }],
    sides: [
      reportSide('subject: events committed, delivered, logged', rounds.subject),
      reportSide(`floor: ${floor}`, rounds.floor),
    ],
    invalid: invalidReasons(rounds),
  };
}
