/** A transaction of knex, from `knex.transaction(async (trx) => …)`. */
export interface KnexTransaction {
  readonly executionPromise: Promise<unknown>;
  isCompleted(): boolean;
}

/**
 * A `pg` client on which `BEGIN` was sent: a `PoolClient` or a `Client`. The type has members that
 * a pool does not have.
 */
export interface PgTransaction {
  /** As of pg 8.23. */
  getTransactionStatus(): string | null;
  escapeLiteral(text: string): string;
}

/** The value of a placeholder `$1`, `$2`, …; every driver for PostgreSQL accepts these types. */
export type PortValue = string | number | boolean | Date | null;

/** A transaction of any other library: two functions. */
export interface TransactionPort {
  /**
   * Runs one statement, with `$1`, `$2`, … for its values, on the connection of the transaction. It
   * rejects with the database's error, or with an error that has it as `cause`.
   */
  query(
    text: string,
    values: readonly PortValue[],
  ): PromiseLike<{ readonly rows: readonly object[] }>;
  /**
   * Calls `ended` once the outermost transaction has committed or rolled back. Null if the library
   * cannot know: a worker then continues about 10 seconds after the commit.
   */
  readonly onEnd: ((ended: () => void) => void) | null;
}

/** A transaction that the host began and will commit or roll back. */
export type HostTransaction = KnexTransaction | PgTransaction | TransactionPort;
