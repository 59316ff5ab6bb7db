import type { Knex } from 'knex';
import type { QueryResultRow } from 'pg';
import type { Connections } from '../connection/connections.ts';
import type { Database } from '../connection/open-database.ts';
import { type Connection, send } from '../connection/send.ts';
import type { Query, Statement, Statements } from '../connection/statement.ts';
import type { StatementResult } from '../connection/statement-sender.ts';
import type { HookTransaction } from './hook-transaction.ts';

/** How a transaction ended; of a host's transaction only `settled` is known. */
export type TransactionEnd = 'committed' | 'rolled_back' | 'settled';

/** A row that exists if everything that was written with it was committed. */
export interface WrittenRow {
  readonly table: string;
  readonly id: string;
  /** Or a later one. */
  readonly version: number;
}

/**
 * A transaction that is open on a session's connection, or a savepoint of one. Its statements and
 * savepoints are queued: concurrent calls run one after the other. The work of a savepoint gets its
 * own session and must use no other, because the outer one waits for its end.
 */
export interface OpenTransaction {
  /** `own`: storage commits it. `host`: the host commits it, some time later. */
  readonly kind: 'own' | 'host';
  /**
   * Several calls of the host share it, so each statement and savepoint is rolled back separately.
   */
  readonly isShared: boolean;
  /** Sends one statement. @throws as `send`; Error when the transaction has ended */
  send<Row extends QueryResultRow>(query: Query): Promise<StatementResult<Row>>;
  /**
   * Undoes what `work` wrote when it throws, and leaves the transaction usable.
   * @throws what `work` throws; Error when the transaction has ended
   */
  savepoint<Result>(
    work: (inner: Session, open: OpenTransaction) => Promise<Result>,
  ): Promise<Result>;
  /**
   * A statement checks a credential (`commit-limit.ts`): the server commits within 500 ms of that,
   * or rolls back. The host decides when its own transaction commits.
   */
  commitSoon(): void;
  /** Records the last written row, to check the outcome if the end is missed. */
  wrote(row: WrittenRow): void;
  /** Runs the host's hook in a savepoint of this transaction. */
  runHook(work: (trx: HookTransaction) => Promise<void>): Promise<void>;
  /** Called once, when the transaction has ended. */
  onEnd(told: (end: TransactionEnd) => void): void;
}

/**
 * Where statements run: on the pool, each as its own transaction, or on the connection of one
 * transaction.
 */
export class Session {
  readonly connections: Connections;
  readonly statements: Statements;
  /** Present within a transaction, ours or the host's. */
  readonly open?: OpenTransaction;
  /** A reserved connection, outside a transaction. */
  readonly #connection: Connection | undefined;

  constructor(
    base: Database,
    on: { readonly connection?: Connection; readonly open?: OpenTransaction } = {},
  ) {
    this.connections = base.connections;
    this.statements = base.statements;
    this.#connection = on.connection;
    if (on.open) this.open = on.open;
  }

  /** Runs one statement. */
  query<Row extends QueryResultRow>(
    of: Statement,
    values: unknown[],
  ): Promise<StatementResult<Row>> {
    return this.#send(this.statements.query(of, values));
  }

  /** Runs a text that is not prepared, or that contains several statements. */
  plain<Row extends QueryResultRow>(
    text: string,
    values?: unknown[],
    limitMs?: number,
  ): Promise<StatementResult<Row>> {
    return this.#send(this.statements.plain(text, values, limitMs));
  }

  /** Runs the query of a knex builder. */
  async build<Row extends QueryResultRow>(builder: Knex.QueryBuilder): Promise<Row[]> {
    const { sql, bindings } = builder.toSQL().toNative();
    return (await this.plain<Row>(sql, [...bindings])).rows;
  }

  /** Reserves one connection for several consecutive statements. */
  pinned<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    if (this.#connection || this.open) return work(this);
    return this.connections.use((connection) => work(new Session(this, { connection })));
  }

  #send<Row extends QueryResultRow>(query: Query): Promise<StatementResult<Row>> {
    if (this.open) return this.open.send(query);
    if (this.#connection) return send(this.#connection, query);
    return this.connections.use((connection) => send(connection, query));
  }
}
