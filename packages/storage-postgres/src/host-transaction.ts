/** A transaction of knex, as `knex.transaction(async (trx) => …)` gives it. */
export interface KnexTransaction {
  readonly executionPromise: Promise<unknown>;
  isCompleted(): boolean;
}

/** A `pg` client, by what no pool has, on which `BEGIN` was sent: a `PoolClient`, or a `Client`. */
export interface PgTransaction {
  /** As of pg 8.23. */
  getTransactionStatus(): string | null;
  escapeLiteral(text: string): string;
}

/** What a statement is given for `$1`, `$2`, …; every driver of PostgreSQL takes these. */
export type PortValue = string | number | boolean | Date | null;

/** A transaction of any other library: two functions. */
export interface TransactionPort {
  /**
   * Runs one statement, with `$1`, `$2`, … for its values, on the connection of the transaction.
   * It rejects with the database's error, or with one that holds it (`cause`).
   */
  query(
    text: string,
    values: readonly PortValue[],
  ): PromiseLike<{ readonly rows: readonly object[] }>;
  /**
   * Has `ended` called once the outermost transaction has committed or rolled back. Null when nobody
   * can tell: what goes on after the commit then starts about 10 seconds later, in a worker.
   */
  readonly onEnd: ((ended: () => void) => void) | null;
}

/** A transaction that the host began, and will commit or roll back. */
export type HostTransaction = KnexTransaction | PgTransaction | TransactionPort;
