import { PaymountError } from '@paymount/core/kernel';
import { DatabaseError, describeNoConnection } from './database-error.ts';
import type { Database } from './open-database.ts';
import { type Connection, send } from './send.ts';

/**
 * The oldest supported major version: migrations set `client_connection_check_interval`, which it
 * added.
 */
export const OLDEST_POSTGRESQL = 14;
/** Other clients of the pooler may get a connection that one of ours has just released. */
const POOLER_TRIES = 3;
/** A pooler accepts a client at once, and then lets it wait for a connection to the server. */
const ANSWER_LIMIT_MS = 5_000;

interface VersionRow {
  readonly server_version_num: string;
}

/**
 * Connects, and checks that Paymount supports this server.
 * @throws DatabaseError when there is no connection, or the server is too old
 */
export async function assertServer({ connections, statements }: Database): Promise<void> {
  const query = statements.plain('SHOW server_version_num', undefined, ANSWER_LIMIT_MS);
  const [row] = await connected(() =>
    connections.use(async (connection) => (await send<VersionRow>(connection, query)).rows),
  );
  // 140023 is 14.23.
  const version = Number(row?.server_version_num);
  const major = Math.floor(version / 10_000);
  if (major >= OLDEST_POSTGRESQL) return;
  throw new DatabaseError(
    `PostgreSQL ${major}.${version % 10_000} is too old: Paymount needs PostgreSQL ${OLDEST_POSTGRESQL} or later.`,
  );
}

/**
 * Checks that each client keeps its own server connection, as prepared statements and LISTEN
 * require.
 * @throws DatabaseError when a pooler in transaction mode is in between
 */
export async function assertOwnConnections(database: Database): Promise<void> {
  for (let tries = 0; tries < POOLER_TRIES; tries += 1) {
    const found = await connected(() => serverSeenBy(database));
    if (found === 'own') return;
    if (found === 'unclear') continue;
    throw new DatabaseError(
      'A pooler lends connections to this database by the transaction, as PgBouncer does in ' +
        'transaction mode. Pass `preparedStatements: false`, and `directUrl` with an address that ' +
        'goes past the pooler.',
    );
  }
}

/**
 * If one server process serves two clients at the same time, there is a pooler in transaction mode.
 */
function serverSeenBy({ connections, statements }: Database): Promise<'own' | 'lent' | 'unclear'> {
  const query = statements.plain('SELECT pg_backend_pid() AS pid', undefined, ANSWER_LIMIT_MS);
  const readPid = async (connection: Connection): Promise<number | undefined> =>
    (await send<{ pid: number }>(connection, query)).rows[0]?.pid;
  return connections.use(async (first) => {
    const pid = await readPid(first);
    // Without a pooler, each client knows the process that serves it.
    if (pid === promisedPid(first) || connections.max < 2) return 'own';
    const other = await connections.use(readPid);
    return other === pid ? 'lent' : 'unclear';
  });
}

/** pg keeps it for cancel requests; its types do not declare it. */
function promisedPid(connection: Connection): unknown {
  return 'processID' in connection ? connection.processID : undefined;
}

/** @throws DatabaseError instead of a connection error */
async function connected<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const isLost = PaymountError.is(error) && error.code === 'unavailable';
    throw isLost ? describeNoConnection(error) : error;
  }
}
