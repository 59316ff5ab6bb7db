import type { Change, Changes } from './change.ts';
import type { IdempotencyRepository } from './idempotency/idempotency.ts';

/**
 * A part of what is kept, as the services of one area see it.
 * @typeParam Readers what they read outside of transactions
 * @typeParam Repositories what they lock and write, bound to one transaction
 */
export interface StorageOf<Readers, Repositories extends { readonly changes: Changes<Change> }> {
  /**
   * One transaction, READ COMMITTED; joins the host's when bound to one. Serialization failures
   * and deadlocks rerun `work`, at most 5 tries; in a host's transaction they are thrown.
   * Deliveries of events in it are dispatched after the commit. No network inside.
   */
  transaction<Result>(work: (repositories: Repositories) => Promise<Result>): Promise<Result>;
  /** Outside of transactions: what the last commit left. */
  readonly read: Readers;
  /** One change in a transaction of its own. */
  readonly changes: Repositories['changes'];
  /** Requests that carry an idempotency key, and the answers that stand under them. */
  readonly idempotency: IdempotencyRepository;
  /** Present when bound to a host's transaction. */
  readonly host?: {
    /** It is the transaction that a hook was given: a part of work that is under way. */
    readonly isHook: boolean;
    /**
     * Runs once the outermost transaction has settled, either way. Absent where nobody can tell; then
     * the resolver goes on. @param then never rejects
     */
    onSettled?(then: () => Promise<void>): void;
  };
}
