import { startChild } from './child.ts';
import { Cleanup } from './cleanup.ts';
import { openBenchDatabase } from './database.ts';
import type { Measurement } from './figure.ts';
import { openLoad } from './http-load.ts';
import { httpSide } from './http-side.ts';
import { invalidReasons, reportSide, runRounds, type Settings } from './rounds.ts';
import { seedAccounts, seedKeys } from './seeds.ts';

const KEYS = 10_000;
const ACCOUNTS = 1_000;
const CONNECTIONS = 50;
/** Both servers serve every key once before they are measured: the figure is for a warm cache. */
const PRIME_SECONDS = 5;

/** A GET behind the whole guard against the same hello of Express without it. */
export async function measureAuth(settings: Settings): Promise<Measurement> {
  const cleanup = new Cleanup();
  try {
    const database = cleanup.add(await openBenchDatabase(settings.server));
    await seedAccounts(database, ACCOUNTS);
    const keys = await seedKeys(database, ACCOUNTS, KEYS);
    const sideOf = async (name: string, environment: Readonly<Record<string, string>>) => {
      const server = await startChild('auth-child.ts', environment);
      cleanup.onEnd(() => server.stop());
      const load = cleanup.add(
        await openLoad({
          port: await server.ask<number>('port'),
          connections: CONNECTIONS,
          // Both sides get the same requests: the bare one has to parse the header, too.
          requests: keys.map((key) => ({
            method: 'GET',
            path: '/hello',
            headers: { Authorization: `Bearer ${key}` },
          })),
        }),
      );
      await load.run(PRIME_SECONDS);
      return httpSide(name, server, load);
    };
    const subject = await sideOf('Express behind the guard', { BENCH_DATABASE_URL: database.url });
    const floor = await sideOf('Express, same body', {});
    const rounds = await runRounds({ subject, floor }, settings);
    const cpu = await measureCpu(database.url, keys, settings);
    return {
      figures: [
        { name: 'ratio', unit: '', values: rounds.ratios, atLeast: 0.85, goal: 0.93 },
        {
          name: 'CPU added',
          unit: 'µs',
          values: cpu.map(({ added }) => added),
          atMost: 20,
          goal: 10,
        },
        // A slow machine makes both slower.
        {
          name: 'CPU added, to that of hello',
          unit: '',
          values: cpu.map(({ bare, added }) => added / bare),
          atMost: 0.2,
        },
      ],
      sides: [
        reportSide(`subject: ${subject.name}`, rounds.subject),
        reportSide(`floor: ${floor.name}`, rounds.floor),
      ],
      invalid: invalidReasons(rounds),
    };
  } finally {
    await cleanup.run();
  }
}

interface Cpu {
  /** µs of a request without the guard, its client's in the same process included. */
  readonly bare: number;
  /** µs by which one behind the guard costs more. */
  readonly added: number;
}

/** Per round. */
async function measureCpu(
  databaseUrl: string,
  keys: readonly string[],
  { rounds, seconds }: Settings,
): Promise<readonly Cpu[]> {
  const child = await startChild('auth-cpu-child.ts', { BENCH_DATABASE_URL: databaseUrl });
  try {
    await child.ask('warmUp', keys);
    const found: Cpu[] = [];
    while (found.length < rounds) found.push(await child.ask<Cpu>('measure', seconds));
    return found;
  } finally {
    await child.stop();
  }
}
