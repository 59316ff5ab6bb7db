import type { Knex } from 'knex';

/** A transaction that is open on a session's connection. */
export interface OpenTransaction {
  /** Ours: storage commits it. The host's: the host does, some time later. */
  readonly kind: 'own' | 'host';
  /** Guards against use after the end, on a connection that others have by then. */
  assertOpen(): void;
  /** Undoes what `work` wrote when it throws, and leaves the transaction usable. */
  savepoint<Result>(work: () => Promise<Result>): Promise<Result>;
  /**
   * A statement judges a credential (`commit-limit.ts`): the server commits within 500 ms of that, or
   * not at all. A host's transaction is committed when the host says so.
   */
  commitSoon(): void;
  /** Runs the host's code in this transaction. */
  runHook(work: (trx: Knex.Transaction) => Promise<void>): Promise<void>;
  /** Told once, when the transaction has ended; a host's tells only that it has: `settled`. */
  onEnd(told: (end: 'committed' | 'rolled_back' | 'settled') => void): void;
}
