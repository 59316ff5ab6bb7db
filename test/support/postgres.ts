import {
  type PostgresServer,
  startPostgres,
} from '../../packages/paymount/src/testing/postgres-server.ts';

/**
 * The database server of a test run: the one of `DATABASE_URL` (its role must be able to create
 * databases), else one of our own, without fsync.
 * @param onLog receives what our own server logs
 */
export async function findPostgres(onLog: (text: string) => void): Promise<PostgresServer> {
  const given = process.env['DATABASE_URL'];
  if (given) return { url: given, stop: async () => undefined };
  return startPostgres({ fsync: false, onLog });
}
