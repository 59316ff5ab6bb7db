import { Cleanup } from '../support/cleanup.ts';
import { chargeFloor } from './charge-floor.ts';
import { chargeSide } from './charge-hot.ts';
import { startChild } from './child.ts';
import { openBenchDatabase } from './database.ts';
import type { Measurement } from './figure.ts';
import { invalidReasons, reportSide, runRounds, type Settings } from './rounds.ts';
import { seedAccounts, seedEndpoints } from './seeds.ts';

const ACCOUNTS = 1_000;
const CONNECTIONS = 16;

/** Both transactions of a charge against pgbench with the same SQL, on as many connections. */
export async function measureChargeStore(settings: Settings): Promise<Measurement> {
  const cleanup = new Cleanup();
  try {
    const database = cleanup.add(await openBenchDatabase(settings.server));
    await seedAccounts(database, ACCOUNTS);
    await seedEndpoints(database, ACCOUNTS);
    const child = await startChild('charge-store-child.ts', {
      BENCH_DATABASE_URL: database.url,
      BENCH_CONNECTIONS: String(CONNECTIONS),
      BENCH_ACCOUNTS: String(ACCOUNTS),
    });
    cleanup.onEnd(() => child.stop());
    await child.ask('prime');
    const floor = await chargeFloor(database, { accounts: ACCOUNTS, connections: CONNECTIONS });
    const rounds = await runRounds({ subject: chargeSide(child, database), floor }, settings);
    return {
      figures: [{ name: 'ratio', unit: '', values: rounds.ratios, atLeast: 0.5, goal: 0.8 }],
      sides: [
        reportSide(`subject: charge service, ${CONNECTIONS} connections`, rounds.subject),
        reportSide(`floor: ${floor.name}`, rounds.floor),
      ],
      invalid: invalidReasons(rounds),
    };
  } finally {
    await cleanup.run();
  }
}
