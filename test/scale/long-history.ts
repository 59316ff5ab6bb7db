import { DispatchHub } from '@paymount/core/events';
import {
  type AccountId,
  type ChargeId,
  type CustomerId,
  type Owner,
  type Page,
  type PageRequest,
  PaymountError,
} from '@paymount/core/kernel';
import { createPostgresStorage, migrate, type PostgresStorage } from '@paymount/storage-postgres';
import { startPostgres } from '../../packages/paymount/src/testing/postgres-server.ts';
import { withClient } from '../support/database.ts';
import { dropIndexes } from '../support/drop-indexes.ts';
import { seedHistory } from '../support/seed-history.ts';
import { percentile } from '../support/statistics.ts';
import { seeded } from '../support/timing.ts';
import type { Scenario } from './scenario.ts';

const MOST_PAGE_MS = 20;
const MOST_BALANCE_MS = 5;
/** On a busy machine a page may take so many times what reading as many charges by id takes there. */
const BUSY_FACTOR = 4;
/** What checking the books may add to the memory of its process, however long the history is. */
const MOST_VERIFY_MIB = 100;
/** Few, so that each has a long history; odd, as `seedHistory` wants it. */
const ACCOUNTS = 7;
const ROUNDS = 200;
const LIMIT = 100;
const MIB = 1024 * 1024;
const TABLES = [
  ...['charges', 'refunds', 'operations', 'payment_methods', 'events'],
  ...['balance_transactions', 'ledger_transaction', 'ledger_entry'],
];

/** An owner and what to begin a page at, drawn from the whole history. */
interface Drawn {
  readonly owner: Owner;
  readonly customer: CustomerId;
  /** Ids of charges of this owner, the newest first, as many as fit on a page. */
  readonly charges: readonly ChargeId[];
  /** The id of a refund of this owner. */
  readonly refund: string;
  /** The id of a balance transaction of this owner. */
  readonly line: string;
  readonly at: Date;
}

type List = (drawn: Drawn, page: PageRequest) => Promise<Page<unknown>>;

/**
 * Lists, balances and the check of the books, on the disk with fsync. Ten million charges need 90 GB of
 * disk, 14 of them for the sorting of the check, and one to two hours.
 */
export const longHistory: Scenario = {
  name: 'rows-10m',
  law: `However long the history is, a page of a list (p99) takes at most ${MOST_PAGE_MS} ms with each filter and at any depth, and a balance (p99) at most ${MOST_BALANCE_MS} ms, or on a busy machine ${BUSY_FACTOR} times what reading ${LIMIT} charges by id takes in the same rounds; verify shows its progress and needs at most ${MOST_VERIFY_MIB} MiB more memory.`,
  sizes: { small: 100_000, whole: 10_000_000 },
  async run(charges) {
    const server = await startPostgres();
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
            ...{ ...pages.figures, ...balance.figures, ...verify.figures },
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
    // Fewer checkpoints while the history is loaded, and one VACUUM, at its end.
    await client.query("ALTER SYSTEM SET max_wal_size = '8GB'");
    await client.query('ALTER SYSTEM SET autovacuum = off');
    await client.query(
      "SELECT pg_reload_conf(), set_config('maintenance_work_mem', '512MB', false)",
    );
    const makeIndexes = await dropIndexes(client, TABLES);
    await seedHistory(client, { charges, accounts: ACCOUNTS, eventCharacters: 20 });
    await makeIndexes();
    await client.query('VACUUM ANALYZE');
    // What is measured next does not compete with the writing of what was loaded.
    await client.query('CHECKPOINT');
  });
}

/** The kinds of `seedHistory`: every 20 charges, of which the fifth is refunded by half. */
function drawer(charges: number): () => Drawn {
  const random = seeded(1);
  const made = <Text extends string>(prefix: string, n: number) =>
    `${prefix}_${String(n).padStart(26, '0')}` as Text;
  return () => {
    const refunded = Math.floor((random() * charges) / 20) * 20 + 4;
    const account = refunded % ACCOUNTS;
    // The next charge of the same account and kind, in the same environment, is so many later.
    const apart = 80 * ACCOUNTS;
    const older = Array.from({ length: LIMIT }, (_, index) => refunded - index * apart);
    const isLive = Math.floor(refunded / 20) % 4 === 0;
    return {
      owner: { accountId: made<AccountId>('acct', account), environment: isLive ? 'live' : 'test' },
      customer: made<CustomerId>('cus', account * 20 + (isLive ? 10 : 0) + (refunded % 10)),
      charges: older.filter((n) => n >= 0).map((n) => made<ChargeId>('ch', n)),
      refund: made('re', refunded),
      line: made('txn', 3 * refunded),
      at: new Date(Date.UTC(2026, 0, 1) + refunded * 1_000),
    };
  };
}

/** First pages, and pages that begin at a row drawn from the whole history. */
async function measurePages({ storage }: PostgresStorage, draw: () => Drawn) {
  const { charges, refunds, ledger } = storage.read;
  const lists: Readonly<Record<string, List>> = {
    charges: ({ owner }, page) => charges.list(owner, {}, page),
    'failed charges': ({ owner }, page) => charges.list(owner, { status: 'failed' }, page),
    'charges of a customer': ({ owner, customer }, page) =>
      charges.list(owner, { customerId: customer }, page),
    'charges before a time': ({ owner, at }, page) =>
      charges.list(owner, { created: { lt: at } }, page),
    refunds: ({ owner }, page) => refunds.list(owner, {}, page),
    'balance transactions': ({ owner }, page) => ledger.listTransactions(owner, {}, page),
    'balance transactions of refunds': ({ owner }, page) =>
      ledger.listTransactions(owner, { types: ['refund'] }, page),
  };
  const cursorOf = (what: string, { charges: own, refund, line }: Drawn): string => {
    if (/^charges|charges$/.test(what)) return own[0] ?? '';
    return what === 'refunds' ? refund : line;
  };
  const violations: string[] = [];
  const figures: Record<string, number> = {};
  for (const [what, list] of Object.entries(lists)) {
    const times: number[] = [];
    const floors: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const drawn = draw();
      const after = round % 2 === 0 ? {} : { startingAfter: cursorOf(what, drawn) };
      const page = { limit: LIMIT, ...after } as PageRequest;
      times.push(await timed(() => list(drawn, page).catch(ignoreSlow)));
      floors.push(await timed(() => charges.findMany(drawn.owner, drawn.charges)));
    }
    const p99 = percentile(times, 0.99);
    const floor = percentile(floors, 0.99);
    figures[`page of ${what}, p50, ms`] = percentile(times, 0.5);
    figures[`page of ${what}, p99, ms`] = p99;
    figures[`page of ${what}, as many charges by id, p99, ms`] = floor;
    if (p99 > Math.max(MOST_PAGE_MS, BUSY_FACTOR * floor)) {
      violations.push(
        `a page of ${what} took ${p99.toFixed(1)} ms (p99), beside ${floor.toFixed(1)} ms`,
      );
    }
  }
  return { violations, figures };
}

async function measureBalance({ storage }: PostgresStorage, draw: () => Drawn) {
  const { charges, ledger } = storage.read;
  const times: number[] = [];
  const floors: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const drawn = draw();
    times.push(await timed(() => ledger.balances(drawn.owner)));
    floors.push(await timed(() => charges.findMany(drawn.owner, drawn.charges)));
  }
  const p99 = percentile(times, 0.99);
  const most = Math.max(MOST_BALANCE_MS, BUSY_FACTOR * percentile(floors, 0.99));
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
    if (found.length > 0) violations.push(`verify found ${found.length} differences in good books`);
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
