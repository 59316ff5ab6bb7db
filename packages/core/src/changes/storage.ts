import type { AccountReader } from '../accounts/account.ts';
import type { ChargeReader, ChargeRepository } from '../charges/charge-repository.ts';
import type { EndpointReader, EndpointRepository } from '../endpoints/endpoint.ts';
import type { EventReader } from '../events/event.ts';
import type { IdempotencyRepository } from '../idempotency/idempotency.ts';
import type { LedgerReader, LedgerRepository } from '../ledger/ledger.ts';
import type { OperationRepository } from '../operations/operation-repository.ts';
import type {
  PaymentMethodReader,
  TokenReader,
} from '../payment-methods/payment-method-repository.ts';
import type { RefundReader, RefundRepository } from '../refunds/refund-repository.ts';
import type { ReplayRepository } from '../replays/replay-store.ts';
import type { Changes } from './change.ts';

export interface Readers {
  readonly accounts: AccountReader;
  readonly charges: ChargeReader;
  readonly refunds: RefundReader;
  readonly paymentMethods: PaymentMethodReader;
  readonly tokens: TokenReader;
  readonly events: EventReader;
  readonly endpoints: EndpointReader;
  readonly ledger: LedgerReader;
}

/** Bound to one transaction. Locks are taken in one order: account, resource, ledger. */
export interface Repositories {
  readonly charges: ChargeRepository;
  readonly refunds: RefundRepository;
  readonly endpoints: EndpointRepository;
  readonly ledger: LedgerRepository;
  readonly operations: OperationRepository;
  readonly replays: ReplayRepository;
  readonly changes: Changes;
}

/** The part of what is kept that services of payments work on. */
export interface Storage {
  /**
   * One transaction, READ COMMITTED; joins the host's when bound to one. Serialization failures
   * and deadlocks rerun `work`, at most 5 tries; in a host's transaction they are thrown.
   * Deliveries of events in it are dispatched after the commit. No network inside.
   */
  transaction<Result>(work: (repositories: Repositories) => Promise<Result>): Promise<Result>;
  /** Outside of transactions: what the last commit left. */
  readonly read: Readers;
  /** One change in a transaction of its own. */
  readonly changes: Changes;
  /** Requests to processors. */
  readonly operations: OperationRepository;
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
