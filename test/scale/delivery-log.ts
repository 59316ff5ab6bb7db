import { setTimeout as wait } from 'node:timers/promises';
import { type AttemptRecord, type DeliveryFilter, DispatchHub } from '@paymount/core/events';
import { newId, PaymountError } from '@paymount/core/kernel';
import { createPostgresStorage, migrate, type PostgresStorage } from '@paymount/storage-postgres';
import { startPostgres } from '../../packages/paymount/src/testing/postgres-server.ts';
import { withClient } from '../support/database.ts';
import {
  DAY_MS,
  DAYS,
  type Drawn,
  drawer,
  loadLog,
  logSize,
} from '../support/delivery-log-data.ts';
import { percentile } from '../support/statistics.ts';
import type { Scenario } from './scenario.ts';

const MOST_PAGE_MS = 50;
const MOST_DROP_MS = 1_000;
/** Besides the longest stall of the same writers while nothing is dropped. */
const MOST_STALL_MS = 100;
/** How long a step of deleting may hold its rows. */
const MOST_LOCK_MS = 100;
/** As workers delete. */
const PURGE_STEP = 2_000;
const PURGE_STEPS = 100;
const ROUNDS = 200;
const WRITERS = 4;
const WRITERS_ALONE_MS = 5_000;
const BATCH = 50;
const LIMIT = 100;

/** What one may search for, for an event that was drawn. */
const SEARCHES: Readonly<Record<string, (drawn: Drawn) => DeliveryFilter>> = {
  'no filter': () => ({}),
  'status succeeded': () => ({ status: 'succeeded' }),
  'status failed': () => ({ status: 'failed' }),
  endpoint: ({ endpoint }) => ({ endpoint }),
  'endpoint and status failed': ({ endpoint }) => ({ endpoint, status: 'failed' }),
  'endpoint and type': ({ endpoint }) => ({ endpoint, type: 'charge.succeeded' }),
  'endpoint and error': ({ endpoint }) => ({ endpoint, error: 'timeout' }),
  event: ({ event }) => ({ event }),
  object: ({ objectId }) => ({ objectId }),
  type: () => ({ type: 'charge.captured' }),
  'status class 2xx': () => ({ statusClass: '2xx' }),
  'status class 4xx': () => ({ statusClass: '4xx' }),
  'status class 5xx': () => ({ statusClass: '5xx' }),
  error: () => ({ error: 'connection' }),
  created: ({ at }) => ({ created: { lt: at, gte: new Date(at.getTime() - DAY_MS) } }),
};

/** Search in the log, and the drop of a day. On the disk, with fsync: it needs 20 GB there. */
export const deliveryLog: Scenario = {
  name: 'delivery-log',
  law: `A page of search (p99) takes less than ${MOST_PAGE_MS} ms with each filter; dropping a day takes less than ${MOST_DROP_MS} ms and delays no writer by more than ${MOST_STALL_MS} ms; a step of deleting deliveries holds its rows for less than ${MOST_LOCK_MS} ms.`,
  sizes: { small: 100_000, whole: 10_000_000 },
  async run(attempts) {
    const server = await startPostgres();
    try {
      const size = logSize(attempts);
      const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
      const first = new Date(today - DAYS * DAY_MS);
      await migrate({ connection: server.url });
      const postgres = createPostgresStorage({
        connection: server.url,
        dispatch: new DispatchHub(),
      });
      try {
        await postgres.deliveries.createPartitions(first, DAYS + 1);
        const loadedMs = await timed(() =>
          withClient(server.url, async (client) => {
            // Fewer checkpoints while the log is loaded.
            await client.query("ALTER SYSTEM SET max_wal_size = '8GB'");
            await client.query(
              "SELECT pg_reload_conf(), set_config('maintenance_work_mem', '512MB', false)",
            );
            await loadLog(client, size, first);
          }),
        );
        const pages = await measurePages(postgres, drawer(size, first));
        const drop = await measureDrop(postgres, first);
        const purge = await measurePurge(postgres);
        return {
          violations: [pages, drop, purge].flatMap(({ violations }) => violations),
          figures: {
            'loaded in, s': loadedMs / 1_000,
            ...pages.figures,
            ...drop.figures,
            ...purge.figures,
          },
        };
      } finally {
        await postgres.close();
      }
    } finally {
      await server.stop();
    }
  },
};

/** A page that was given up counts with the time that it took. */
function ignoreSlow(error: unknown): void {
  if (!PaymountError.is(error) || error.code !== 'list_too_slow') throw error;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

/** First pages, and pages that begin at a delivery drawn from the whole time. */
async function measurePages(postgres: PostgresStorage, draw: () => Drawn) {
  const violations: string[] = [];
  const figures: Record<string, number> = {};
  const { deliveries } = postgres.storage.read;
  for (const [what, filterOf] of Object.entries(SEARCHES)) {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const drawn = draw();
      const after = round % 2 === 0 ? {} : { startingAfter: drawn.delivery };
      const page = { limit: LIMIT, ...after };
      const list = () => deliveries.list(drawn.owner, filterOf(drawn), page);
      times.push(await timed(() => list().catch(ignoreSlow)));
    }
    const p99 = percentile(times, 0.99);
    figures[`page by ${what}, p50, ms`] = percentile(times, 0.5);
    figures[`page by ${what}, p99, ms`] = p99;
    if (p99 >= MOST_PAGE_MS) violations.push(`a page by ${what} took ${p99.toFixed(1)} ms (p99)`);
  }
  return { violations, figures };
}

/** Drops the first day while workers record attempts. */
async function measureDrop(postgres: PostgresStorage, first: Date) {
  const violations: string[] = [];
  const before = new Date(first.getTime() + DAY_MS);
  let isWriting = true;
  let stalls: number[] = [];
  const writers = Array.from({ length: WRITERS }, async () => {
    while (isWriting) {
      const records = Array.from({ length: BATCH }, (_, n) => attemptNow(n));
      stalls.push(await timed(() => postgres.deliveries.recordAbandoned(records)));
    }
  });
  await wait(WRITERS_ALONE_MS);
  const alone = Math.max(...stalls);
  stalls = [];
  let days = 0;
  const dropMs = await timed(async () => {
    days = await postgres.deliveries.dropPartitions(before);
  });
  isWriting = false;
  // The batches that were in progress count too.
  await Promise.all(writers);
  const stall = Math.max(...stalls);
  if (days !== 1) violations.push(`${days} days were dropped instead of one`);
  if (dropMs >= MOST_DROP_MS) violations.push(`the drop took ${dropMs.toFixed(0)} ms`);
  if (stall > alone + MOST_STALL_MS) violations.push(`a writer waited ${stall.toFixed(0)} ms`);
  const figures = {
    'drop of a day, ms': dropMs,
    [`longest of a write of ${BATCH} meanwhile, ms`]: stall,
    'longest without a drop, ms': alone,
  };
  return { violations, figures };
}

/** Deletes deliveries in steps, each of which locks its rows until it has committed. */
async function measurePurge(postgres: PostgresStorage) {
  const times: number[] = [];
  let after: string | undefined = '';
  for (let step = 0; step < PURGE_STEPS && after !== undefined; step += 1) {
    const walk = { after, finishedBefore: new Date(), limit: PURGE_STEP };
    times.push(
      await timed(async () => {
        after = (await postgres.deliveries.purge(walk)).next;
      }),
    );
  }
  const p99 = percentile(times, 0.99);
  return {
    violations: p99 < MOST_LOCK_MS ? [] : [`a step of deleting took ${p99.toFixed(0)} ms (p99)`],
    figures: {
      'steps of deleting': times.length,
      'step of deleting, p50, ms': percentile(times, 0.5),
      'step of deleting, p99, ms': p99,
    },
  };
}

function attemptNow(n: number): AttemptRecord {
  return {
    accountId: newId('acct'),
    environment: 'test',
    id: newId('att'),
    deliveryId: newId('dlv'),
    eventId: newId('evt'),
    eventType: 'charge.succeeded',
    endpointId: newId('we'),
    attempt: 1,
    outcome: 'unknown',
    url: 'https://receiver.example/hooks',
    requestHeaders: { 'content-type': 'application/json' },
    responseTruncated: false,
    startedAt: new Date(),
    durationMs: n,
    reusedConnection: false,
    redialed: false,
  };
}
