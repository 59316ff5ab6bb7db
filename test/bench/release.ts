import { availableParallelism } from 'node:os';
import { Cleanup } from '../support/cleanup.ts';
import { measureSpread } from '../support/statistics.ts';
import { type Child, startChild } from './child.ts';
import { type BenchDatabase, openBenchDatabase } from './database.ts';
import { FUNDS, seedDueFunds, seedLedgers } from './due-funds.ts';
import type { Measurement, SideReport } from './figure.ts';
import type { Settings } from './rounds.ts';
import { seedAccounts } from './seeds.ts';

const ACCOUNTS = 1_000;
/** Enough that the start and the end, when not all have work, weigh little. */
const DUE = 40_000;
const WORKERS = [1, 2, 4] as const;
/**
 * Two workers keep two cores busy, so four are faster only where there are more. With fewer cores,
 * four cost the rows that each skips because another has locked them; the rest is noise, whose
 * median of five rounds varies by 0.1 from run to run. Workers that wait for each other give 0.5.
 */
const FOUR_OVER_TWO = availableParallelism() >= 4 ? 1 : 0.85;

/** Funds released per second by one worker, by two and by four. */
export async function measureRelease(settings: Settings): Promise<Measurement> {
  const cleanup = new Cleanup();
  try {
    const database = cleanup.add(await openBenchDatabase(settings.server));
    await seedAccounts(database, ACCOUNTS);
    await seedLedgers(database, ACCOUNTS);
    const children: Child[] = [];
    while (children.length < Math.max(...WORKERS)) {
      const child = await startChild('release-child.ts', { BENCH_DATABASE_URL: database.url });
      cleanup.onEnd(() => child.stop());
      children.push(child);
    }
    const invalid = new Set<string>();
    // Thrown away: otherwise the third and the fourth would be compiling while they are measured.
    await release(database, children, invalid);
    const rates: Record<number, number[]> = {};
    for (let round = 0; round < settings.rounds; round += 1) {
      for (const workers of round % 2 === 0 ? WORKERS : WORKERS.toReversed()) {
        const rate = await release(database, children.slice(0, workers), invalid);
        rates[workers] = [...(rates[workers] ?? []), rate];
      }
      const shown = WORKERS.map((workers) => `${workers}: ${rates[workers]?.at(-1)?.toFixed(0)}/s`);
      settings.say(`  round ${round + 1}: workers ${shown.join(', ')}`);
    }
    return {
      figures: [
        ratio('2 workers over 1', 1, rates[2], rates[1]),
        ratio('4 over 2', FOUR_OVER_TWO, rates[4], rates[2]),
      ],
      sides: WORKERS.map((workers) => buildSide(workers, rates[workers] ?? [])),
      invalid: [...invalid],
    };
  } finally {
    await cleanup.run();
  }
}

/** @returns funds per second */
async function release(
  database: BenchDatabase,
  workers: readonly Child[],
  invalid: Set<string>,
): Promise<number> {
  await database.reset();
  await seedDueFunds(database, { accounts: ACCOUNTS, count: DUE });
  await database.query('VACUUM ANALYZE');
  const deadlocks = await readDeadlocks(database);
  const startedMs = performance.now();
  await Promise.all(workers.map((worker) => worker.ask('release')));
  const seconds = (performance.now() - startedMs) / 1000;
  for (const reason of await wrongIn(database)) invalid.add(reason);
  if ((await readDeadlocks(database)) !== deadlocks) invalid.add('there was a deadlock');
  return DUE / seconds;
}

async function wrongIn(database: BenchDatabase): Promise<readonly string[]> {
  const left = await database.count('balance_transactions', "status = 'pending'");
  const [sums] = await database.query<{ pending: string; available: string }>(
    `SELECT sum(t.amount) FILTER (WHERE a.code = 'pending')::text AS pending,
       sum(t.amount) FILTER (WHERE a.code = 'available')::text AS available
     FROM paymount.ledger_tail t JOIN paymount.ledger_account a ON a.id = t.ledger_account_id`,
  );
  const wrong: string[] = [];
  if (left > 0) wrong.push(`${left} funds are still pending`);
  if (sums?.pending !== '0' || sums.available !== String(DUE * FUNDS)) {
    wrong.push(`${sums?.pending} is pending and ${sums?.available} available`);
  }
  return wrong;
}

async function readDeadlocks(database: BenchDatabase): Promise<string | undefined> {
  // What an ended backend counted is there at once; a living one reports when it is idle.
  const [row] = await database.query<{ deadlocks: string }>(
    'SELECT deadlocks::text FROM pg_stat_database WHERE datname = current_database()',
  );
  return row?.deadlocks;
}

function ratio(
  name: string,
  atLeast: number,
  over: readonly number[] = [],
  under: readonly number[] = [],
) {
  const values = over.map((rate, round) => rate / (under[round] ?? Number.NaN));
  return { name, unit: '', values, atLeast };
}

function buildSide(workers: number, rates: readonly number[]): SideReport {
  return {
    side: `${workers} ${workers === 1 ? 'worker' : 'workers'}`,
    operationsPerSecond: measureSpread(rates).median,
    cpuMicros: {},
  };
}
