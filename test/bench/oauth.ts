import { Cleanup } from '../support/cleanup.ts';
import { startChild } from './child.ts';
import { openBenchDatabase } from './database.ts';
import type { Measurement } from './figure.ts';
import type { LoadGenerator, LoadResult } from './http-load.ts';
import { httpSide } from './http-side.ts';
import type { Connected } from './oauth-child.ts';
import { invalidReasons, reportSide, runRounds, type Settings } from './rounds.ts';

const CLIENTS = 16;
const DATABASE_CONNECTIONS = 16;

/** Refreshing tokens at `/oauth/token` against Express that parses the same form. */
export async function measureOAuth(settings: Settings): Promise<Measurement> {
  const cleanup = new Cleanup();
  try {
    const database = cleanup.add(await openBenchDatabase(settings.server));
    const server = await startChild('oauth-child.ts', {
      BENCH_DATABASE_URL: database.url,
      BENCH_CONNECTIONS: String(DATABASE_CONNECTIONS),
    });
    cleanup.onEnd(() => server.stop());
    const load = await startChild('oauth-load-child.ts');
    cleanup.onEnd(() => load.stop());
    const port = await server.ask<number>('port');
    const connected = await server.ask<readonly Connected[]>('connect', CLIENTS);
    await load.ask('prepare', { port, connected });
    const at = (path: string): LoadGenerator => ({
      name: `${CLIENTS} clients`,
      run: (seconds) => load.ask<LoadResult>('run', { path, seconds }),
      close: async () => undefined,
    });
    const otherCpu = () => ({ postgres: database.cpuMicros() });
    const subject = httpSide('POST /oauth/token', server, at('/oauth/token'), { otherCpu });
    const floor = httpSide('Express, same form', server, at('/hello'), { otherCpu });
    const rounds = await runRounds({ subject, floor }, settings);
    return {
      figures: [
        { name: 'ratio', unit: '', values: rounds.ratios, atLeast: 0.05 },
        { name: 'p99', unit: 'ms', values: rounds.subject.map(({ p99Ms = 0 }) => p99Ms) },
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
