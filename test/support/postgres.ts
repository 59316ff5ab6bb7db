import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { assertDatabase } from '../../example-host/src/demo/assert-database.ts';
import {
  type PostgresServer,
  startPostgresUnder,
} from '../../packages/paymount/src/testing/postgres-server.ts';

/** Where Linux keeps files in memory; containers may give it little room. */
const MEMORY_FOLDER = '/dev/shm';
const MEMORY_NEEDED_BYTES = 2 * 1024 ** 3;

/**
 * PostgreSQL plans the first five calls of a statement anew on each connection. In databases of a few
 * rows and connections of a few seconds, that is a third of its CPU time. Tests of plans set their own.
 */
const PLANNED_ONCE = { plan_cache_mode: 'force_generic_plan' };

/**
 * The database server of a test run: the one of `DATABASE_URL` (its role must be able to create
 * databases), else one of our own, without fsync, in memory where there is room: a copy of the
 * template then costs an eighth of the CPU time.
 * @param onLog receives what our own server logs
 * @param given the value of `DATABASE_URL`
 * @throws Error that names the variable if its server cannot be used
 */
export async function findPostgres(
  onLog: (text: string) => void,
  given = process.env['DATABASE_URL'],
): Promise<PostgresServer> {
  if (given) {
    await assertDatabase(given);
    return { url: given, stop: async () => undefined };
  }
  return startPostgresUnder(await serverFolder(), { fsync: false, settings: PLANNED_ONCE, onLog });
}

/** @returns the parent of folders that servers of tests keep their data in */
export async function serverFolder(): Promise<string> {
  const room = await statfs(MEMORY_FOLDER).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return room < MEMORY_NEEDED_BYTES ? tmpdir() : MEMORY_FOLDER;
}
