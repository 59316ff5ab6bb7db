import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Cleanup } from '../support/cleanup.ts';
import { residentMegabytes } from '../support/cpu-time.ts';
import { openBenchDatabase } from './database.ts';
import { type Measurement, NotMeasured } from './figure.ts';
import type { Settings } from './rounds.ts';

const DEMO = fileURLToPath(new URL('../../example-host/src/demo.ts', import.meta.url));
const READY = 'Ctrl-C ends everything.';
const READY_LIMIT_MS = 90_000;

/** Resident memory of the demo's process once it has shown everything; the database is apart. */
export async function measureMemory(settings: Settings): Promise<Measurement> {
  const cleanup = new Cleanup();
  try {
    const database = cleanup.add(await openBenchDatabase(settings.server));
    const folder = await mkdtemp(join(tmpdir(), 'paymount-demo-'));
    cleanup.onEnd(() => rm(folder, { recursive: true, force: true }));
    const demo = startDemo(folder, database.url);
    cleanup.onEnd(() => stopDemo(demo));
    await untilReady(demo);
    const values: number[] = [];
    for (let round = 0; round < settings.rounds; round += 1) {
      await wait(settings.seconds * 1000);
      const resident = residentMegabytes(demo.pid ?? 0);
      if (resident === undefined) throw new NotMeasured('there is no /proc on this system');
      values.push(resident);
    }
    return {
      figures: [{ name: 'resident memory', unit: 'MB', values, atMost: 200 }],
      sides: [],
      invalid: demo.exitCode === null ? [] : [`the demo ended with exit code ${demo.exitCode}`],
    };
  } finally {
    await cleanup.run();
  }
}

/** The command of `npm run demo`, in a folder of its own for the files that it leaves. */
function startDemo(folder: string, databaseUrl: string): ChildProcess {
  const loader = `--import=${import.meta.resolve('tsx')}`;
  return spawn(process.execPath, [loader, '--conditions=@paymount/source', DEMO], {
    cwd: folder,
    env: { ...process.env, DATABASE_URL: databaseUrl, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function untilReady(demo: ChildProcess): Promise<void> {
  let said = '';
  const ready = new Promise<void>((resolve) => {
    const listen = (text: Buffer): void => {
      said += text.toString();
      if (said.includes(READY)) resolve();
    };
    demo.stdout?.on('data', listen);
    demo.stderr?.on('data', listen);
  });
  const limit = new AbortController();
  const late = wait(READY_LIMIT_MS, 'late', { signal: limit.signal });
  const ended = once(demo, 'exit').then(() => 'ended');
  const how = await Promise.race([ready.then(() => 'ready'), ended, late]);
  limit.abort();
  if (how !== 'ready') throw new Error(`The demo was not ready (${how}). It said:\n${said}`);
}

async function stopDemo(demo: ChildProcess): Promise<void> {
  if (demo.exitCode !== null || demo.signalCode !== null) return;
  const ended = once(demo, 'exit');
  demo.kill('SIGTERM');
  await ended;
}
