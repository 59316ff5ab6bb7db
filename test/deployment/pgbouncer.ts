import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from 'mocha';
import { spawnTethered } from '../../packages/paymount/src/testing/tethered-process.ts';
import { eventually } from '../support/eventually.ts';
import { accepts, freePort, hasProgram } from '../support/local-program.ts';
import { skipUnless } from '../support/skip.ts';

const READY_LIMIT_MS = 10_000;
/** pgbouncer refuses to run as root. */
const NOBODY = { uid: 65_534, gid: 65_534 } as const;

/** A pooler in front of a server that trusts whoever comes. */
export interface Pgbouncer {
  /** The server's address, by way of the pooler. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts a pooler, in transaction mode unless `settings` name another `pool_mode`; skips the test where there is no `pgbouncer` program.
 * @param target the URL of a database
 * @param settings lines of its section `[pgbouncer]`
 */
export async function startPgbouncer(
  test: Context,
  target: string,
  settings: readonly string[] = [],
): Promise<Pgbouncer> {
  skipUnless(hasProgram('pgbouncer'), 'the program pgbouncer (apt-get install pgbouncer)', test);
  const { hostname, port, pathname, username } = new URL(target);
  const name = pathname.slice(1);
  const own = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'paymount-pgbouncer-'));
  const config = join(folder, 'pgbouncer.ini');
  const lines = [
    '[databases]',
    `${name} = host=${hostname} port=${port} dbname=${name} user=${username}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${own}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    // Of two lines for one setting the later one holds.
    ...settings,
  ];
  await writeFile(config, `${lines.join('\n')}\n`);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await chown(folder, NOBODY.uid, NOBODY.gid);
  await chmod(config, 0o644);
  const pooler = spawnTethered({
    program: 'pgbouncer',
    args: [config],
    cwd: folder,
    stopSignal: 'INT',
    temporaryFolder: folder,
    ...(isRoot && { runAs: NOBODY }),
  });
  await eventually(() => accepts(own), Boolean, READY_LIMIT_MS);
  const url = new URL(target);
  url.port = String(own);
  return {
    url: url.href,
    async stop() {
      await pooler.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
