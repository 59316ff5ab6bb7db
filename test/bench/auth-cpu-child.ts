import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { percentile } from '../support/statistics.ts';
import { answerCommands } from './child.ts';
import { bareApp, guardedApp } from './hello-app.ts';
import { openRequestLoop, type RequestLoop } from './request-loop.ts';

/**
 * What the guard adds to the CPU time of a request. Both servers and their clients live in this one
 * process and take turns of some 20 ms, because two processes, one after the other, meet different
 * neighbours on the machine: there the difference of two large times is mostly theirs.
 */
const CONNECTIONS = 10;
const BLOCK = 50;

const guarded = guardedApp(process.env['BENCH_DATABASE_URL'] ?? '');
let sides: { readonly subject: RequestLoop; readonly floor: RequestLoop } | undefined;

answerCommands(
  {
    /** Serves every key, and lets the compiler see both. */
    warmUp: async (keys: readonly string[]) => {
      sides = {
        subject: await openSide(guarded.app.listen(0, '127.0.0.1'), keys),
        floor: await openSide(bareApp().listen(0, '127.0.0.1'), keys),
      };
      for (let turn = 0; turn < 3; turn += 1) {
        await sides.subject.run(keys.length);
        await sides.floor.run(keys.length);
      }
    },
    /** @returns CPU time of a request without the guard and what it added, µs, in so many seconds */
    measure: async (seconds: number) => {
      if (sides === undefined) throw new Error('It is not warm.');
      const [bare, added]: [number[], number[]] = [[], []];
      const endMs = performance.now() + seconds * 1_000;
      while (performance.now() < endMs) {
        const guardedMicros = await measureCpu(sides.subject);
        const bareMicros = await measureCpu(sides.floor);
        bare.push(bareMicros);
        added.push(guardedMicros - bareMicros);
      }
      return { bare: percentile(bare, 0.5) / BLOCK, added: percentile(added, 0.5) / BLOCK };
    },
  },
  async () => {
    for (const side of Object.values(sides ?? {})) side.close();
    await guarded.close();
  },
);

async function measureCpu(side: RequestLoop): Promise<number> {
  const before = process.cpuUsage();
  await side.run(BLOCK);
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

async function openSide(server: Server, keys: readonly string[]): Promise<RequestLoop> {
  await once(server, 'listening');
  server.keepAliveTimeout = 60_000;
  const { port } = server.address() as AddressInfo;
  const loop = openRequestLoop(port, { path: '/hello', keys, connections: CONNECTIONS });
  return {
    run: loop.run,
    close() {
      loop.close();
      server.close();
    },
  };
}
