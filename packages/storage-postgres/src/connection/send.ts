import type { ClientBase, QueryResult, QueryResultRow } from 'pg';
import { isUnreadable } from './column-types.ts';
import { isRerunnable, isSqlError, translated } from './sql-errors.ts';
import type { Query } from './statement.ts';

/** A pg client in knex's pool; knex does not reuse one that is marked as disposed. */
export type Connection = ClientBase & { __knex__disposed?: unknown };

/**
 * Sends one query.
 * @throws the server's error as a code of the error table; RangeError or SyntaxError when a value
 * of the response cannot be parsed. When no response came, the connection is closed first, so that
 * nothing waits for it: `unavailable`, and it is unknown whether the query took effect
 */
export async function send<Row extends QueryResultRow>(
  connection: Connection,
  query: Query,
): Promise<QueryResult<Row>> {
  try {
    return await connection.query<Row>(query);
  } catch (error) {
    if (isUnreadable(error)) throw error;
    if (!isSqlError(error)) discard(connection, error);
    throw isRerunnable(error) ? error : translated(error);
  }
}

/** Closes a connection, even if a query is running on it, so that it is not reused. */
export function discard(
  connection: Connection & { end?: () => Promise<void> },
  cause: unknown,
): void {
  connection.__knex__disposed = cause;
  // Destroys the socket if a query is still running. An error during the close does not matter.
  connection.end?.().catch(() => undefined);
}
