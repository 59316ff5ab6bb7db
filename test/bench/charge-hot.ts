import { Cleanup } from '../support/cleanup.ts';
import { cpuOfProcess } from '../support/cpu-time.ts';
import { checkCharges } from './charge-floor.ts';
import { type Child, startChild } from './child.ts';
import { type BenchDatabase, openBenchDatabase } from './database.ts';
import type { Measurement } from './figure.ts';
import {
  invalidReasons,
  reportSide,
  runRounds,
  type Settings,
  type Side,
  WARM_UP_SECONDS,
  type Window,
} from './rounds.ts';
import { seedAccounts, seedEndpoints } from './seeds.ts';

const ACCOUNTS = 1_000;
const CONNECTIONS = 16;

/** Both transactions of a charge, all of one merchant, against a thousand merchants in turn. */
export async function measureChargeHot(settings: Settings): Promise<Measurement> {
  const cleanup = new Cleanup();
  try {
    const database = cleanup.add(await openBenchDatabase(settings.server));
    await seedAccounts(database, ACCOUNTS);
    await seedEndpoints(database, ACCOUNTS);
    const openSide = async (accounts: number): Promise<Side> => {
      const child = await startChild('charge-store-child.ts', {
        BENCH_DATABASE_URL: database.url,
        BENCH_CONNECTIONS: String(CONNECTIONS),
        BENCH_ACCOUNTS: String(accounts),
      });
      cleanup.onEnd(() => child.stop());
      await child.ask('prime');
      return chargeSide(child, database);
    };
    const sides = { subject: await openSide(1), floor: await openSide(ACCOUNTS) };
    const rounds = await runRounds(sides, settings);
    return {
      figures: [{ name: 'ratio', unit: '', values: rounds.ratios, atLeast: 0.25, goal: 0.5 }],
      sides: [
        reportSide(`subject: one merchant, ${CONNECTIONS} connections`, rounds.subject),
        reportSide(`floor: ${ACCOUNTS} merchants`, rounds.floor),
      ],
      invalid: invalidReasons(rounds),
    };
  } finally {
    await cleanup.run();
  }
}

/** The service of charges, in its own process. */
export function chargeSide(child: Child, database: BenchDatabase): Side {
  type Run = Pick<Window, 'operations' | 'seconds' | 'p50Ms' | 'p99Ms'>;
  return {
    name: 'charge service',
    async measure(seconds) {
      await database.reset();
      const warmUp = await child.ask<Run>('run', WARM_UP_SECONDS);
      const before = { node: cpuOfProcess(child.pid), postgres: database.cpuMicros() };
      const measured = await child.ask<Run>('run', seconds);
      const written = warmUp.operations + measured.operations;
      return {
        ...measured,
        cpuMicros: {
          node: cpuOfProcess(child.pid) - before.node,
          postgres: database.cpuMicros() - before.postgres,
        },
        invalid: await checkCharges(database, written, written),
      };
    },
  };
}
