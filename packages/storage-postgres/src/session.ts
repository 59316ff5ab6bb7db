import type { Knex } from 'knex';
import type { QueryResultRow } from 'pg';
import { type Connection, type Connections, send } from './connections.ts';
import type { HookTransaction } from './hook-transaction.ts';
import type { Query, Statement, Statements } from './shared/statement.ts';
import type { WireResult } from './wire.ts';

/** How a transaction ended; a host's tells only that it has: `settled`. */
export type TransactionEnd = 'committed' | 'rolled_back' | 'settled';

/** Tells that what was written with it is there. */
export interface WrittenRow {
  readonly table: string;
  readonly id: string;
  /** Or a later one. */
  readonly version: number;
}

/**
 * A transaction that is open on a session's connection, or a savepoint of one. Its statements and
 * savepoints take turns: what is called at once runs one after the other. The work of a savepoint
 * gets a session of its own and must use no other: the outer one waits for its end.
 */
export interface OpenTransaction {
  /** Ours: storage commits it. The host's: the host does, some time later. */
  readonly kind: 'own' | 'host';
  /** Where calls of the host's meet: each statement and savepoint is undone by itself. */
  readonly isShared: boolean;
  /** Sends one statement. @throws as `send`; Error when the transaction has ended */
  send<Row extends QueryResultRow>(query: Query): Promise<WireResult<Row>>;
  /**
   * Undoes what `work` wrote when it throws, and leaves the transaction usable.
   * @throws what `work` throws; Error when the transaction has ended
   */
  savepoint<Result>(
    work: (inner: Session, open: OpenTransaction) => Promise<Result>,
  ): Promise<Result>;
  /**
   * A statement judges a credential (`commit-limit.ts`): the server commits within 500 ms of that, or
   * not at all. A host's transaction is committed when the host says so.
   */
  commitSoon(): void;
  /** Names a row that was written last, by which to look it up should the end be missed. */
  wrote(row: WrittenRow): void;
  /** Runs the host's code in a savepoint of this transaction. */
  runHook(work: (trx: HookTransaction) => Promise<void>): Promise<void>;
  /** Called once, when the transaction has ended. */
  onEnd(told: (end: TransactionEnd) => void): void;
}

/** Where statements run: on the pool, each by itself, or on the connection of one transaction. */
export class Session {
  readonly connections: Connections;
  readonly statements: Statements;
  /** Present inside a transaction, ours or the host's. */
  readonly open?: OpenTransaction;
  /** Pinned for a while, outside a transaction. */
  readonly #connection: Connection | undefined;

  constructor(
    base: { readonly connections: Connections; readonly statements: Statements },
    on: { readonly connection?: Connection; readonly open?: OpenTransaction } = {},
  ) {
    this.connections = base.connections;
    this.statements = base.statements;
    this.#connection = on.connection;
    if (on.open) this.open = on.open;
  }

  /** Runs one statement. */
  query<Row extends QueryResultRow>(of: Statement, values: unknown[]): Promise<WireResult<Row>> {
    return this.#send(this.statements.query(of, values));
  }

  /** Runs a text that is not worth a prepared statement, or holds several statements. */
  plain<Row extends QueryResultRow>(
    text: string,
    values?: unknown[],
    limitMs?: number,
  ): Promise<WireResult<Row>> {
    return this.#send(this.statements.plain(text, values, limitMs));
  }

  /** Runs what a knex builder describes. */
  async build<Row extends QueryResultRow>(builder: Knex.QueryBuilder): Promise<Row[]> {
    const { sql, bindings } = builder.toSQL().toNative();
    return (await this.plain<Row>(sql, [...bindings])).rows;
  }

  /** Lends one connection for several statements that follow each other. */
  pinned<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    if (this.#connection || this.open) return work(this);
    return this.connections.use((connection) => work(new Session(this, { connection })));
  }

  #send<Row extends QueryResultRow>(query: Query): Promise<WireResult<Row>> {
    if (this.open) return this.open.send(query);
    if (this.#connection) return send(this.#connection, query);
    return this.connections.use((connection) => send(connection, query));
  }
}
