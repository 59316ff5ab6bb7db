import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startPostgres } from '../../packages/paymount/src/testing/postgres-server.ts';
import { query } from '../support/database.ts';
import { serverFolder } from '../support/postgres.ts';

/** As the folders of servers that `startPostgres` clears up after a killed run. */
const FOLDER_PREFIX = 'paymount-pgdata-';

/** A server of one file's own, with roles that it lets in by different rules. */
export interface GuardedPostgres {
  readonly url: string;
  /** The same server and database for another role, and with other parts of the address. */
  urlFor(role: string, change?: (url: URL) => void): string;
  /** Runs SQL as the superuser. */
  run(text: string): Promise<void>;
  stop(): Promise<void>;
}

/**
 * @param rules lines of `pg_hba.conf`, before the one that lets the superuser in
 * @param roles what `CREATE ROLE` takes, for each
 */
export async function startGuardedPostgres(
  rules: readonly string[],
  roles: readonly string[],
): Promise<GuardedPostgres> {
  const dataDir = await mkdtemp(join(await serverFolder(), FOLDER_PREFIX));
  const server = await startPostgres({ fsync: false, dataDir });
  const run = async (text: string): Promise<void> => void (await query(server.url, text));
  const hba = join(dataDir, 'pg_hba.conf');
  await writeFile(hba, `${[...rules, 'host all postgres 127.0.0.1/32 trust'].join('\n')}\n`);
  for (const role of roles) await run(`CREATE ROLE ${role}`);
  await run('SELECT pg_reload_conf()');
  return {
    url: server.url,
    urlFor(role, change) {
      const url = new URL(server.url);
      url.username = role;
      change?.(url);
      return url.href;
    },
    run,
    async stop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
