import { DispatchHub } from '@paymount/core/events';
import { createPostgresStorage } from '@paymount/storage-postgres';
import pg from 'pg';
import { Cleanup } from '../support/cleanup.ts';
import { seedHistory } from '../support/seed-history.ts';
import { openBenchDatabase } from './database.ts';
import type { Measurement } from './figure.ts';
import type { Settings } from './rounds.ts';

const CHARGES = 200_000;
/** Odd, as the history wants it. */
const ACCOUNTS = 997;
const MILLION = 1_000_000;

/** The least that anything which looks at every entry of each ledger transaction must do. */
const FLOOR = `SELECT count(*) FROM (SELECT transaction_id, sum(amount) AS rest
  FROM paymount.ledger_entry GROUP BY transaction_id) t WHERE rest <> 0`;

/**
 * `paymount verify` over 200,000 charges against one sum of their ledger entries; every round does
 * both, in turn first and second. `--seconds` means nothing here.
 */
export async function measureVerify({ server, rounds, say }: Settings): Promise<Measurement> {
  const cleanup = new Cleanup();
  try {
    const database = cleanup.add(await openBenchDatabase(server));
    const sql = new pg.Client({ connectionString: database.url });
    await sql.connect();
    cleanup.onEnd(() => sql.end());
    await seedHistory(sql, { charges: CHARGES, accounts: ACCOUNTS });
    await sql.query('VACUUM ANALYZE');
    await sql.query(`SET work_mem = '64MB'; SET max_parallel_workers_per_gather = 0`);
    const connection = database.url;
    const storage = createPostgresStorage({ connection, dispatch: new DispatchHub() });
    cleanup.add(storage);
    let found = 0;
    const sides = {
      verify: async () => {
        found += (await storage.verify({ connections: 2 })).length;
      },
      floor: async () => void (await sql.query(FLOOR)),
    };
    const times: { verify: number; floor: number }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const seconds = await inTurn(sides, round);
      times.push(seconds);
      say(`  verify ${seconds.verify.toFixed(2)} s, floor ${seconds.floor.toFixed(2)} s`);
    }
    return {
      figures: [
        { name: 'ratio', unit: '', values: times.map((s) => s.verify / s.floor), atMost: 16 },
        {
          name: 'a million charges',
          unit: ' s',
          values: times.map((s) => (s.verify * MILLION) / CHARGES),
          goal: 30,
        },
      ],
      sides: [],
      invalid: found === 0 ? [] : [`verify found ${found} differences in data that agree`],
    };
  } finally {
    await cleanup.run();
  }
}

async function inTurn(
  sides: Readonly<Record<'verify' | 'floor', () => Promise<void>>>,
  round: number,
): Promise<{ verify: number; floor: number }> {
  const order = round % 2 === 0 ? (['verify', 'floor'] as const) : (['floor', 'verify'] as const);
  const seconds = { verify: 0, floor: 0 };
  for (const side of order) {
    const startedMs = performance.now();
    await sides[side]();
    seconds[side] = (performance.now() - startedMs) / 1_000;
  }
  return seconds;
}
