import { PaymountError } from '@paymount/core/kernel';
import { type Connection, send } from './connections.ts';
import { DatabaseError, describeNoConnection } from './database-error.ts';
import type { Session } from './session.ts';

/** The oldest major version that works: migrations set `client_connection_check_interval`, new in it. */
export const OLDEST_POSTGRESQL = 14;
/** Others that use the pooler at the same moment may be lent what one of ours gave back. */
const POOLER_TRIES = 3;
/** A pooler lets a client in, and then has it wait for a connection to the server. */
const ANSWER_LIMIT_MS = 5_000;

interface VersionRow {
  readonly server_version_num: string;
}

/**
 * Connects, and sees that the server is one that Paymount works on.
 * @throws DatabaseError when there is no connection, or the server is too old
 */
export async function assertServer({ connections, statements }: Session): Promise<void> {
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
 * Sees that each client keeps a server connection of its own, as prepared statements and LISTEN need.
 * @throws DatabaseError when a pooler in between lends them by the transaction
 */
export async function assertOwnConnections(session: Session): Promise<void> {
  for (let tries = 0; tries < POOLER_TRIES; tries += 1) {
    const found = await connected(() => serverSeenBy(session));
    if (found === 'own') return;
    if (found === 'unclear') continue;
    throw new DatabaseError(
      'A pooler lends connections to this database by the transaction, as PgBouncer does in ' +
        'transaction mode. Pass `preparedStatements: false`, and `directUrl` with an address that ' +
        'goes past the pooler.',
    );
  }
}

/** Two clients that are there at the same time are served by one process only if it is lent. */
function serverSeenBy({ connections, statements }: Session): Promise<'own' | 'lent' | 'unclear'> {
  const query = statements.plain('SELECT pg_backend_pid() AS pid', undefined, ANSWER_LIMIT_MS);
  const readPid = async (connection: Connection): Promise<number | undefined> =>
    (await send<{ pid: number }>(connection, query)).rows[0]?.pid;
  return connections.use(async (first) => {
    const pid = await readPid(first);
    // Without a pooler the server told each client which process serves it.
    if (pid === promisedPid(first) || connections.max < 2) return 'own';
    const other = await connections.use(readPid);
    return other === pid ? 'lent' : 'unclear';
  });
}

/** pg keeps it for cancelling; its types do not name it. */
function promisedPid(connection: Connection): unknown {
  return 'processID' in connection ? connection.processID : undefined;
}

/** @throws DatabaseError in place of what says that there was no connection */
async function connected<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const isLost = PaymountError.is(error) && error.code === 'unavailable';
    throw isLost ? describeNoConnection(error) : error;
  }
}
