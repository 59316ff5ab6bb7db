import type { Owner } from '../../kernel/basics/environment.ts';
import type {
  CustomerId,
  PriceId,
  SubscriptionId,
  SubscriptionItemId,
  TestClockId,
} from '../../kernel/basics/id.ts';
import type { AdminListFilter, AdminScope } from '../../kernel/callers/admin-scope.ts';
import type { CreatedFilter, Page, PageRequest } from '../../kernel/input/page.ts';
import type { Customer } from '../../payments/customers/customer.ts';
import type { PaymentMethod } from '../../payments/payment-methods/payment-method.ts';
import type { Failing } from '../failing.ts';
import type { BillingPosition, DueQuery, ExpungeWalk } from '../invoices/invoice-repository.ts';
import type { Price } from '../prices/price.ts';
import type { DeclineClass } from './decline-class.ts';
import type { BillingPeriod, Subscription, SubscriptionStatus } from './subscription.ts';

export interface SubscriptionFilter {
  readonly customerId?: CustomerId;
  readonly priceId?: PriceId;
  /** `all`: those that are over too. @defaultValue those that are not canceled, as at Stripe */
  readonly status?: SubscriptionStatus | 'all' | 'ended';
  readonly collectionMethod?: Subscription['collectionMethod'];
  readonly created?: CreatedFilter;
  /** Only those of customers on this test clock. @defaultValue those on none, or of `customerId` */
  readonly clock?: TestClockId;
}

export interface SubscriptionReader {
  find(owner: Owner, id: SubscriptionId): Promise<Subscription | undefined>;
  /** The subscription that has an item. */
  findByItem(owner: Owner, id: SubscriptionItemId): Promise<Subscription | undefined>;
  /** The subscriptions of `ids` that belong to this owner, in no order; one query. */
  findMany(owner: Owner, ids: readonly SubscriptionId[]): Promise<readonly Subscription[]>;
  /** @throws `invalid_cursor` when a cursor is not the id of a subscription of this owner */
  list(owner: Owner, filter: SubscriptionFilter, page: PageRequest): Promise<Page<Subscription>>;
  /** The periods of a subscription, the first one first. */
  periodsOf(owner: Owner, id: SubscriptionId): Promise<readonly BillingPeriod[]>;
}

/** Bound to one transaction. */
export interface SubscriptionRepository extends SubscriptionReader {
  /** Locks the row of a subscription. */
  findForUpdate(owner: Owner, id: SubscriptionId): Promise<Subscription | undefined>;
  /**
   * Locks a subscription that is due by `now`; undefined if it is not due any more, or if another
   * transaction has locked it. What the transaction needs after that, it waits for only a moment.
   */
  takeDue(due: DueSubscription, now: Date): Promise<TakenSubscription | undefined>;
  /** The loss of a dispute about one of its charges was dealt with. */
  settleDispute(owner: Owner, id: SubscriptionId): Promise<void>;
  /** How many subscriptions of a customer are not over. */
  countLive(owner: Owner, customerId: CustomerId): Promise<number>;
}

/** A due subscription that a worker has locked. */
export interface TakenSubscription {
  readonly subscription: Subscription;
  readonly customer?: Customer;
  /** Its default payment method, otherwise that of its customer; absent: neither has one. */
  readonly method?: PaymentMethod;
  /** That of its first item; most have one only. */
  readonly price?: Price;
  /** Something of the customer waits for an invoice, perhaps for one of another subscription. */
  readonly hasWaitingItems: boolean;
  /** A dispute about one of its charges was lost, and the account wants it to end. */
  readonly isDisputed: boolean;
}

/** A subscription that is due. */
export interface DueSubscription extends Owner {
  readonly id: SubscriptionId;
  readonly nextActionAt: Date;
}

/** What an admin looks for. */
export interface AdminSubscriptionFilter extends AdminListFilter<SubscriptionStatus> {
  readonly customerId?: CustomerId;
  /** Only those that are not paid, because of such a failure. */
  readonly declineClass?: DeclineClass;
  /** Only those that a worker must look at before this time. */
  readonly dueBefore?: Date;
  /** Only those of which a worker cannot do what is due, or only the others. */
  readonly isFailing?: boolean;
}

/** Subscriptions of all accounts, for admins. */
export interface SubscriptionDirectory {
  /** @param scope subscriptions outside it are not found */
  find(scope: AdminScope, id: SubscriptionId): Promise<Subscription | undefined>;
  /** Newest first. @throws `invalid_cursor` */
  list(
    scope: AdminScope,
    filter: AdminSubscriptionFilter,
    page: PageRequest,
  ): Promise<Page<Subscription>>;
  /** The prices that subscriptions of any accounts show; one query. */
  pricesOf(subscriptions: readonly Subscription[]): Promise<readonly Price[]>;
  /** The newest periods of a subscription, at most `limit`, newest first. */
  periodsOf(subscription: Subscription, limit: number): Promise<readonly BillingPeriod[]>;
}

/** What workers do about subscriptions. */
export interface SubscriptionQueue {
  /** As that of invoices. */
  findDue(asked: DueQuery): Promise<readonly DueSubscription[]>;
  /** What is due on a test clock, at `until` at the latest: the earliest first. */
  findDueOn(clock: TestClockId, until: Date, limit: number): Promise<readonly DueSubscription[]>;
  /** As that of invoices. */
  postpone(due: DueSubscription, until: Date, failing?: Failing): Promise<void>;
  /** As that of invoices. */
  failingOf(due: DueSubscription): Promise<Failing | undefined>;
  /**
   * Deletes the texts and metadata of subscriptions that have ended.
   * @returns where the next step begins; undefined: these were the last
   */
  expunge(walk: ExpungeWalk): Promise<BillingPosition | undefined>;
  /**
   * Deletes what customers who are deleted said at the end of their subscriptions.
   * @returns of how many subscriptions, at most `limit`
   */
  forgetComments(limit: number): Promise<number>;
}
