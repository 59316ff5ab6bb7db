import type { Change } from './change.ts';
import type { ChangeRepository } from './change-repository.ts';
import type { IdempotencyRepository } from './idempotency/idempotency-repository.ts';

/** How long a transaction waits for each lock. */
export interface LockWaits {
  /**
   * A fifth of a second instead of three, for work of many accounts that a worker does one after the other:
   * what is locked is left for its next pass, and what is due of other accounts does not wait for it.
   */
  readonly areBrief?: boolean;
}

/**
 * A part of the stored data, as the services of one area see it.
 * @typeParam Readers reads outside of transactions
 * @typeParam Repositories locks and writes, bound to one transaction
 */
export interface AreaStorage<
  Readers,
  Repositories extends { readonly changes: ChangeRepository<Change> },
> {
  /**
   * Runs `work` in one transaction, READ COMMITTED; joins the host's transaction when bound to one.
   * Serialization failures and deadlocks rerun `work`, at most 5 tries; in a host's transaction
   * they are thrown. Deliveries of its events are dispatched after the commit. No network calls
   * inside.
   * @param waits in a host's transaction, the host decides
   * @throws PaymountError `lock_timeout`, when a lock was not available in time
   */
  transaction<Result>(
    work: (repositories: Repositories) => Promise<Result>,
    waits?: LockWaits,
  ): Promise<Result>;
  /** Reads outside of transactions: the last committed state. */
  readonly read: Readers;
  /** Commits one change in its own transaction. */
  readonly changes: Repositories['changes'];
  /** Idempotency keys and their stored answers. */
  readonly idempotency: IdempotencyRepository;
  /** Present when bound to a host's transaction. */
  readonly host?: {
    /** True in the transaction that a hook got: part of work in progress. */
    readonly isHook: boolean;
    /**
     * Called once the outermost transaction has committed or rolled back. Absent if this cannot be
     * detected; then the resolver continues. @param then never rejects
     */
    onSettled?(then: () => Promise<void>): void;
  };
}
