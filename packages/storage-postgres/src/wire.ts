import type { QueryResultRow } from 'pg';
import { type Connection, send } from './connections.ts';
import type { Query, Statements } from './shared/statement.ts';

/** What a statement answered. */
export interface WireResult<Row extends QueryResultRow = QueryResultRow> {
  readonly rows: Row[];
  /** How many rows it wrote; null where the host's library does not say. */
  readonly rowCount: number | null;
}

/** Carries statements to the server, over the one connection of a transaction. */
export interface Wire {
  /** Sends one statement. @throws as `send` of `connections.ts` */
  send<Row extends QueryResultRow>(query: Query): Promise<WireResult<Row>>;
  /** Sends transaction control, in one message where that is possible. @returns each answer */
  control(texts: readonly string[]): Promise<readonly WireResult[]>;
}

/** The wire of any pg connection. */
export function pgWire(connection: Connection, statements: Statements): Wire {
  return {
    send: (query) => send(connection, query),
    async control(texts) {
      // A list for several statements only.
      return [await send(connection, statements.plain(texts.join('; ')))].flat();
    },
  };
}
