import { Cleanup } from '../support/cleanup.ts';
import { cpuOfProcess } from '../support/cpu-time.ts';
import type { AuthRound } from './auth-load-child.ts';
import { type Child, startChild } from './child.ts';
import { openBenchDatabase } from './database.ts';
import type { Measurement } from './figure.ts';
import { reportSide, type Settings, type Window } from './rounds.ts';
import { seedAccounts, seedKeys } from './seeds.ts';

const KEYS = 10_000;
const ACCOUNTS = 1_000;

/** A GET behind the whole guard against the same hello of Express without it. */
export async function measureAuth(settings: Settings): Promise<Measurement> {
  const cleanup = new Cleanup();
  try {
    const database = cleanup.add(await openBenchDatabase(settings.server));
    await seedAccounts(database, ACCOUNTS);
    const keys = await seedKeys(database, ACCOUNTS, KEYS);
    const start = async (file: string, environment: Readonly<Record<string, string>> = {}) => {
      const child = await startChild(file, environment);
      cleanup.onEnd(() => child.stop());
      return child;
    };
    const subject = await start('auth-child.ts', { BENCH_DATABASE_URL: database.url });
    const floor = await start('auth-child.ts');
    const load = await start('auth-load-child.ts');
    await load.ask('warmUp', {
      subject: await subject.ask('port'),
      floor: await floor.ask('port'),
      // Both sides get the same requests: the bare one has to parse the header, too.
      keys,
    });
    const rounds = await measureRates({ load, subject, floor }, settings);
    const cpu = await measureCpu(database.url, keys, settings);
    return {
      figures: [
        { name: 'ratio', unit: '', values: rounds.ratios, atLeast: 0.85, goal: 0.93 },
        // Without a limit: it grows with a slow machine as well as with a slow guard.
        { name: 'CPU added', unit: 'µs', values: cpu.map(({ added }) => added), goal: 10 },
        {
          name: 'CPU added, to that of hello',
          unit: '',
          values: cpu.map(({ bare, added }) => added / bare),
          atMost: 0.2,
          goal: 0.15,
        },
      ],
      sides: [
        reportSide('subject: Express behind the guard', rounds.subject),
        reportSide('floor: Express, same body', rounds.floor),
      ],
      invalid: [],
    };
  } finally {
    await cleanup.run();
  }
}

/** Both servers in short turns (`auth-load-child.ts`); an answer that is not 200 ends the run. */
async function measureRates(
  { load, subject, floor }: { readonly [name in 'load' | 'subject' | 'floor']: Child },
  { rounds, seconds, say }: Settings,
) {
  const ratios: number[] = [];
  const windows: { subject: Window[]; floor: Window[] } = { subject: [], floor: [] };
  while (ratios.length < rounds) {
    const cpuNow = () => ({
      subject: cpuOfProcess(subject.pid),
      floor: cpuOfProcess(floor.pid),
    });
    const before = cpuNow();
    const round = await load.ask<AuthRound>('measure', seconds);
    const after = cpuNow();
    for (const side of ['subject', 'floor'] as const) {
      windows[side].push({
        operations: round.operations,
        seconds: round.seconds[side],
        cpuMicros: { node: after[side] - before[side] },
        invalid: [],
      });
    }
    ratios.push(round.ratio);
    say(`  round ${ratios.length}: ratio ${round.ratio.toFixed(3)}`);
  }
  return { ratios, ...windows };
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
