import { DispatchHub } from '@paymount/core/events';
import { type PageRequest, PaymountError } from '@paymount/core/kernel';
import { createPostgresStorage, migrate, type PostgresStorage } from '@paymount/storage-postgres';
import { startPostgres } from '../../packages/paymount/src/testing/postgres-server.ts';
import { withClient } from '../support/database.ts';
import { dropIndexes } from '../support/drop-indexes.ts';
import { seedHistory } from '../support/seed-history.ts';
import { type Places, seedRarerObjects } from '../support/seed-rarer-objects.ts';
import { percentile } from '../support/statistics.ts';
import {
  ACCOUNTS,
  type Drawn,
  drawer,
  type HistoryList,
  historyLists,
  LARGEST_PAGE,
} from './history-lists.ts';
import type { Scenario } from './scenario.ts';

/** Of a page of the default size. */
const MOST_PAGE_MS = 20;
const MOST_BALANCE_MS = 5;
/**
 * So many times what reading as many charges by id takes may a page of any size take: a large page whose
 * rows are not in memory needs as many reads of the disk as it has rows.
 */
const MOST_FACTOR = 4;
const DEFAULT_SIZE = 10;
const SIZES = [DEFAULT_SIZE, LARGEST_PAGE];
/** What checking the data may add to the memory of its process, however long the history is. */
const MOST_VERIFY_MIB = 100;
const ROUNDS = 300;
/** Not counted: the first pages of a process compile what reads them. */
const WARM_UP_ROUNDS = 50;
const MIB = 1024 * 1024;
const EVERY_CHARGE = { every: 1, at: 0 };
const TABLES = [
  'charges',
  'refunds',
  'operations',
  'payment_methods',
  'events',
  'balance_transactions',
  'ledger_transaction',
  'ledger_entry',
  'customers',
  'disputes',
  'payouts',
];

type Draw = (places: Places) => Drawn;

/**
 * Lists, balances and the check of the data, on the disk with fsync. Ten million charges need 85 GB of
 * disk, 20 of them for the sorting of the check, and one to two hours. `PAYMOUNT_SCALE_DATA=FOLDER` keeps
 * the database in that folder, and measures what is there in the next run.
 */
export const longHistory: Scenario = {
  name: 'rows-10m',
  law: `However long the history is, a page of ${DEFAULT_SIZE} (p99) takes at most ${MOST_PAGE_MS} ms with each filter and at any depth, a balance (p99) at most ${MOST_BALANCE_MS} ms, and a page of ${LARGEST_PAGE} at most ${MOST_FACTOR} times what reading as many charges by id takes in the same rounds, which on a busy machine bounds all of them; verify shows its progress and needs at most ${MOST_VERIFY_MIB} MiB more memory.`,
  sizes: { small: 100_000, whole: 10_000_000 },
  async run(charges) {
    const dataDir = process.env['PAYMOUNT_SCALE_DATA'];
    const server = await startPostgres(dataDir === undefined ? {} : { dataDir });
    try {
      await migrate({ connection: server.url });
      const loadedMs = await timed(() => load(server.url, charges));
      const connection = server.url;
      const postgres = createPostgresStorage({ connection, dispatch: new DispatchHub() });
      try {
        const draw = drawer(charges);
        const pages = await measurePages(postgres, draw);
        const balance = await measureBalance(postgres, draw);
        const verify = await measureVerify(postgres);
        return {
          violations: [pages, balance, verify].flatMap(({ violations }) => violations),
          figures: {
            'loaded in, s': loadedMs / 1_000,
            ...pages.figures,
            ...balance.figures,
            ...verify.figures,
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

function load(url: string, charges: number): Promise<void> {
  return withClient(url, async (client) => {
    await client.query('CREATE TABLE IF NOT EXISTS loaded_history (charges bigint)');
    const { rows } = await client.query<{ charges: string }>('SELECT charges FROM loaded_history');
    if (rows[0] !== undefined) {
      if (Number(rows[0].charges) === charges) return;
      throw new Error(`PAYMOUNT_SCALE_DATA holds another history, of ${rows[0].charges} charges.`);
    }
    // Fewer checkpoints while the history is loaded, and one VACUUM, at its end.
    await client.query("ALTER SYSTEM SET max_wal_size = '4GB'");
    await client.query('ALTER SYSTEM SET autovacuum = off');
    await client.query(
      "SELECT pg_reload_conf(), set_config('maintenance_work_mem', '512MB', false)",
    );
    const makeIndexes = await dropIndexes(client, TABLES);
    const history = { charges, accounts: ACCOUNTS, eventCharacters: 20 };
    await seedHistory(client, history);
    await seedRarerObjects(client, history);
    await makeIndexes();
    await client.query('VACUUM ANALYZE');
    await client.query('INSERT INTO loaded_history VALUES ($1)', [charges]);
    // What is measured next does not compete with the writing of what was loaded.
    await client.query('CHECKPOINT');
  });
}

/** First pages, and pages that begin at a row drawn from the whole history. */
async function measurePages({ storage }: PostgresStorage, draw: Draw) {
  const violations: string[] = [];
  const figures: Record<string, number> = {};
  const lists = Object.entries(historyLists(storage));
  for (const [what, list] of SIZES.flatMap((size) =>
    lists.map(([name, each]) => [`${size} ${name}`, { ...each, size }] as const),
  )) {
    const { times, floors } = await measureList(storage, draw, list);
    const p99 = percentile(times, 0.99);
    const floor = percentile(floors, 0.99);
    figures[`page of ${what}, p50, ms`] = percentile(times, 0.5);
    figures[`page of ${what}, p99, ms`] = p99;
    figures[`page of ${what}, as many charges by id, p99, ms`] = floor;
    const most = list.size === DEFAULT_SIZE ? MOST_PAGE_MS : 0;
    if (p99 > Math.max(most, MOST_FACTOR * floor)) {
      violations.push(
        `a page of ${what} took ${p99.toFixed(1)} ms (p99), beside ${floor.toFixed(1)} ms`,
      );
    }
  }
  return { violations, figures };
}

async function measureList(
  { read }: PostgresStorage['storage'],
  draw: Draw,
  { places, cursor, read: list, size }: HistoryList & { readonly size: number },
) {
  const times: number[] = [];
  const floors: number[] = [];
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
    const drawn = draw(places);
    const after = round % 2 === 0 ? {} : { startingAfter: cursor(drawn.n) };
    const page = { limit: size, ...after } as PageRequest;
    const time = await timed(() => list(drawn, page).catch(ignoreSlow));
    const floor = await timed(() =>
      read.charges.findMany(drawn.owner, drawn.charges.slice(0, size)),
    );
    if (round < 0) continue;
    times.push(time);
    floors.push(floor);
  }
  return { times, floors };
}

async function measureBalance({ storage }: PostgresStorage, draw: Draw) {
  const { charges, ledger } = storage.read;
  const times: number[] = [];
  const floors: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const drawn = draw(EVERY_CHARGE);
    times.push(await timed(() => ledger.balances(drawn.owner)));
    const few = drawn.charges.slice(0, DEFAULT_SIZE);
    floors.push(await timed(() => charges.findMany(drawn.owner, few)));
  }
  const p99 = percentile(times, 0.99);
  const most = Math.max(MOST_BALANCE_MS, MOST_FACTOR * percentile(floors, 0.99));
  return {
    violations: p99 > most ? [`a balance took ${p99.toFixed(1)} ms (p99)`] : [],
    figures: { 'balance, p50, ms': percentile(times, 0.5), 'balance, p99, ms': p99 },
  };
}

async function measureVerify(postgres: PostgresStorage) {
  const violations: string[] = [];
  let steps = 0;
  let longestMs = 0;
  let lastMs = performance.now();
  const before = process.memoryUsage.rss();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 100);
  const onProgress = (): void => {
    const nowMs = performance.now();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
    steps += 1;
  };
  const tookMs = await timed(async () => {
    const found = await postgres.verify({ connections: 2, onProgress });
    if (found.length > 0) violations.push(`verify found ${found.length} differences in good data`);
  }).finally(() => clearInterval(watch));
  const grown = (most - before) / MIB;
  if (steps < 2) violations.push('verify showed no progress');
  if (grown > MOST_VERIFY_MIB) violations.push(`verify took ${grown.toFixed(0)} MiB of memory`);
  return {
    violations,
    figures: {
      'verify, s': tookMs / 1_000,
      'verify, times it showed its progress': steps,
      'verify, longest without, s': longestMs / 1_000,
      'verify, memory, MiB': grown,
    },
  };
}

/** A page that was given up counts with the time that it took. */
function ignoreSlow(error: unknown): void {
  if (!PaymountError.is(error) || error.code !== 'list_too_slow') throw error;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}
