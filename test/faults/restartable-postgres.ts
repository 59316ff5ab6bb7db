import { execFile } from 'node:child_process';
import { chown, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
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
  /**
   * Copies the running server, as `pg_basebackup` does, and starts the copy, which recovers to the
   * moment at which the copying ended. Stop it before this server.
   * @param meanwhile runs when the copying has begun and before it ends
   */
  restoreCopy(meanwhile?: () => Promise<void>): Promise<PostgresServer>;
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
    async restoreCopy(meanwhile = async () => undefined) {
      const copyDir = await mkdtemp(join(await serverFolder(), FOLDER_PREFIX));
      await copyServer(server.url, dataDir, { copyDir, meanwhile });
      const copy = await startPostgres({ fsync: false, dataDir: copyDir, onLog });
      return {
        url: copy.url,
        async stop() {
          await copy.stop();
          await rm(copyDir, { recursive: true, force: true });
        },
      };
    },
    async stop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** The files change while they are copied; the log that is written meanwhile repairs them. */
async function copyServer(
  url: string,
  dataDir: string,
  { copyDir, meanwhile }: { readonly copyDir: string; readonly meanwhile: () => Promise<void> },
): Promise<void> {
  const copy = (from: string, to: string) => promisify(execFile)('cp', ['-a', `${from}/.`, to]);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`SELECT pg_backup_start('test', true)`);
    await copy(dataDir, copyDir);
    await meanwhile();
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)');
    await copy(join(dataDir, 'pg_wal'), join(copyDir, 'pg_wal'));
    await rm(join(copyDir, 'postmaster.pid'), { force: true });
    const label = join(copyDir, 'backup_label');
    await writeFile(label, rows[0].labelfile);
    // The server runs as another user where the tests run as root.
    const { uid, gid } = await stat(join(dataDir, 'PG_VERSION'));
    await chown(label, uid, gid);
  } finally {
    await client.end();
  }
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
