import { setTimeout as wait } from 'node:timers/promises';
import { Cleanup } from '../support/cleanup.ts';
import { chargeFloor, checkCharges } from './charge-floor.ts';
import { startChild } from './child.ts';
import { type BenchDatabase, openBenchDatabase } from './database.ts';
import type { Measurement } from './figure.ts';
import { type LoadGenerator, openLoad, UNIQUE } from './http-load.ts';
import { httpSide } from './http-side.ts';
import { invalidReasons, reportSide, runRounds, type Settings } from './rounds.ts';
import { CURRENCY, seedAccounts, seedEndpoints, seedKeys } from './seeds.ts';

const ACCOUNTS = 1_000;
const HTTP_CONNECTIONS = 64;
const DATABASE_CONNECTIONS = 16;
/** Every account is charged once before: its key is cached then, and its ledger known. */
const PRIME_SECONDS = 5;
const SETTLE_LIMIT_MS = 10_000;
const QUIET_CHECKS = 5;

/** `POST /v1/charges` through Express against pgbench with the same SQL. */
export async function measureCharge(settings: Settings): Promise<Measurement> {
  const cleanup = new Cleanup();
  try {
    const database = cleanup.add(await openBenchDatabase(settings.server));
    await seedAccounts(database, ACCOUNTS);
    await seedEndpoints(database, ACCOUNTS);
    const keys = await seedKeys(database, ACCOUNTS, ACCOUNTS);
    const floor = await chargeFloor(database, {
      accounts: ACCOUNTS,
      connections: DATABASE_CONNECTIONS,
    });
    const server = await startChild('charge-child.ts', {
      BENCH_DATABASE_URL: database.url,
      BENCH_CONNECTIONS: String(DATABASE_CONNECTIONS),
    });
    cleanup.onEnd(() => server.stop());
    const load = cleanup.add(await chargingLoad(await server.ask<number>('port'), keys));
    await load.run(PRIME_SECONDS);
    const subject = httpSide('POST /v1/charges', server, load, {
      before: async () => {
        await settled(database);
        await database.reset();
      },
      otherCpu: () => ({ postgres: database.cpuMicros() }),
      check: async (answered) => {
        await settled(database);
        // The load generator hangs up at its end on what is under way, once per run.
        return checkCharges(database, answered, answered + 2 * HTTP_CONNECTIONS);
      },
    });
    const rounds = await runRounds({ subject, floor }, settings);
    return {
      figures: [{ name: 'ratio', unit: '', values: rounds.ratios, atLeast: 0.28, goal: 0.5 }],
      sides: [
        reportSide(`subject: ${subject.name}, ${HTTP_CONNECTIONS} connections`, rounds.subject),
        reportSide(`floor: ${floor.name}`, rounds.floor),
      ],
      invalid: invalidReasons(rounds),
    };
  } finally {
    await cleanup.run();
  }
}

function chargingLoad(port: number, keys: readonly string[]): Promise<LoadGenerator> {
  const body = JSON.stringify({
    amount: 1999,
    currency: CURRENCY,
    payment_method: 'pm_card_visa',
    metadata: { order: '6735' },
  });
  return openLoad({
    port,
    connections: HTTP_CONNECTIONS,
    requests: keys.map((key) => ({
      method: 'POST',
      path: '/v1/charges',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': `bench-${UNIQUE}`,
      },
      body,
    })),
  });
}

/** Waits for the charges whose clients hung up: nothing unsettled, and no statement running. */
async function settled(database: BenchDatabase): Promise<void> {
  const deadlineMs = performance.now() + SETTLE_LIMIT_MS;
  for (let quiet = 0; quiet < QUIET_CHECKS && performance.now() < deadlineMs; ) {
    const [row] = await database.query<{ busy: boolean }>(
      `SELECT EXISTS (SELECT FROM paymount.operations WHERE state <> 'done') OR EXISTS (
         SELECT FROM pg_stat_activity WHERE datname = current_database() AND state <> 'idle'
           AND pid <> pg_backend_pid()) AS busy`,
    );
    quiet = row?.busy ? 0 : quiet + 1;
    await wait(20);
  }
}
