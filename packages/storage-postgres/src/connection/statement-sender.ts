import type { QueryResultRow } from 'pg';
import { type Connection, send } from './send.ts';
import type { Query, Statements } from './statement.ts';

/** The result of a statement. */
export interface StatementResult<Row extends QueryResultRow = QueryResultRow> {
  readonly rows: Row[];
  /** The number of rows that it wrote; null if the host's library does not report it. */
  readonly rowCount: number | null;
}

/** Sends statements to the server, over the connection of a transaction. */
export interface StatementSender {
  /** Sends one statement. @throws as `send` of `send.ts` */
  send<Row extends QueryResultRow>(query: Query): Promise<StatementResult<Row>>;
  /** Sends transaction control statements, in one message if possible. @returns each result */
  control(texts: readonly string[]): Promise<readonly StatementResult[]>;
}

/** Sends statements over a pg connection. */
export function pgSender(connection: Connection, statements: Statements): StatementSender {
  return {
    send: (query) => send(connection, query),
    async control(texts) {
      // An array only if there are several statements.
      return [await send(connection, statements.plain(texts.join('; ')))].flat();
    },
  };
}
