import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type PostgresServer,
  startPostgres,
} from '../../packages/paymount/src/testing/postgres-server.ts';
import { serverFolder } from '../support/postgres.ts';

/** As the folders of servers that `startPostgres` clears up after a killed run. */
const FOLDER_PREFIX = 'paymount-pgdata-';
const START_LIMIT_MS = 20_000;

/** A server of one run's own that can crash, and comes back with its data at the same address. */
export interface RestartablePostgres extends PostgresServer {
  /** An immediate shutdown, as after a crash, and a start that recovers from the log. */
  restart(): Promise<void>;
}

/** @param onLog receives what the server logs */
export async function startRestartablePostgres(
  onLog: (text: string) => void,
): Promise<RestartablePostgres> {
  const dataDir = await mkdtemp(join(await serverFolder(), FOLDER_PREFIX));
  let server = await startPostgres({ fsync: false, dataDir, onLog });
  const port = Number(new URL(server.url).port);
  return {
    url: server.url,
    async restart() {
      process.kill(await postmasterIn(dataDir), 'SIGQUIT');
      await server.stop();
      server = await startAgain(() => startPostgres({ fsync: false, dataDir, port, onLog }));
    },
    async stop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** A client that knocks while nobody listens may hold the port for a moment. */
async function startAgain(start: () => Promise<PostgresServer>): Promise<PostgresServer> {
  const deadlineMs = performance.now() + START_LIMIT_MS;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      if (performance.now() > deadlineMs) throw error;
    }
  }
}

async function postmasterIn(dataDir: string): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, 'postmaster.pid'), 'utf8'), 10);
}
