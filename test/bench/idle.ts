import { setTimeout as wait } from 'node:timers/promises';
import { Cleanup } from '../support/cleanup.ts';
import { cpuOfProcess } from '../support/cpu-time.ts';
import { startChild } from './child.ts';
import { openBenchDatabase } from './database.ts';
import { type Measurement, NotMeasured } from './figure.ts';
import { openLoad } from './http-load.ts';
import type { Settings } from './rounds.ts';
import { seedAccounts, seedKeys } from './seeds.ts';

/** The kernel counts in ticks of 10 ms: shorter windows would show ticks, not time. */
const LEAST_SECONDS = 10;
const BUSY_SECONDS = 1;
/** Node collects what the busy second left once it has been idle for some seconds. */
const SETTLE_MS = 20_000;

/** What an API process and a worker process cost while nothing happens, after a busy second. */
export async function measureIdle(settings: Settings): Promise<Measurement> {
  const cleanup = new Cleanup();
  try {
    const database = cleanup.add(await openBenchDatabase(settings.server));
    await seedAccounts(database, 1);
    const [key] = await seedKeys(database, 1, 1);
    const environment = { BENCH_DATABASE_URL: database.url, BENCH_CONNECTIONS: '10' };
    const api = await startChild('charge-child.ts', environment);
    cleanup.onEnd(() => api.stop());
    const worker = await startChild('worker-child.ts', environment);
    cleanup.onEnd(() => worker.stop());
    if (cpuOfProcess(api.pid) === 0) throw new NotMeasured('there is no /proc on this system');
    const load = cleanup.add(
      await openLoad({
        port: await api.ask<number>('port'),
        connections: 4,
        requests: [
          { method: 'GET', path: '/v1/charges', headers: { Authorization: `Bearer ${key}` } },
        ],
      }),
    );
    const { failures } = await load.run(BUSY_SECONDS);
    await wait(SETTLE_MS);
    const cpuNow = () => ({
      api: cpuOfProcess(api.pid),
      worker: cpuOfProcess(worker.pid),
      postgres: database.cpuMicros(),
    });
    const seconds = Math.max(settings.seconds, LEAST_SECONDS);
    const shares: ReturnType<typeof cpuNow>[] = [];
    for (let round = 0; round < settings.rounds; round += 1) {
      const before = cpuNow();
      await wait(seconds * 1000);
      const after = cpuNow();
      const share = (program: keyof typeof before): number =>
        (after[program] - before[program]) / (seconds * 10_000);
      shares.push({ api: share('api'), worker: share('worker'), postgres: share('postgres') });
    }
    return {
      figures: [
        {
          name: 'API + worker',
          unit: '% of a core',
          values: shares.map((share) => share.api + share.worker),
          atMost: 1,
        },
        { name: 'API', unit: '% of a core', values: shares.map(({ api }) => api) },
        { name: 'worker', unit: '% of a core', values: shares.map(({ worker }) => worker) },
        { name: 'PostgreSQL', unit: '% of a core', values: shares.map(({ postgres }) => postgres) },
      ],
      sides: [],
      invalid: failures > 0 ? [`${failures} requests were not answered 2xx`] : [],
    };
  } finally {
    await cleanup.run();
  }
}
