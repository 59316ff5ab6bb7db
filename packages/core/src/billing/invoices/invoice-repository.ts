import type { Owner } from '../../kernel/basics/environment.ts';
import type {
  ChargeId,
  CustomerId,
  InvoiceId,
  InvoiceItemId,
  SubscriptionId,
  SubscriptionItemId,
  TestClockId,
} from '../../kernel/basics/id.ts';
import type { AdminListFilter, AdminScope } from '../../kernel/callers/admin-scope.ts';
import type { CreatedFilter, Page, PageRequest } from '../../kernel/input/page.ts';
import type { Charge } from '../../payments/charges/charge.ts';
import type { Failing } from '../failing.ts';
import type { DraftInvoice, Invoice, InvoiceState } from './invoice.ts';
import type { InvoiceItem } from './invoice-item.ts';

export interface InvoiceFilter {
  readonly customerId?: CustomerId;
  readonly subscriptionId?: SubscriptionId;
  readonly status?: Exclude<InvoiceState['status'], 'deleted'>;
  readonly collectionMethod?: Invoice['collectionMethod'];
  readonly created?: CreatedFilter;
  readonly dueDate?: CreatedFilter;
  /** Only those that have a charge. @defaultValue others too */
  readonly isTried?: true;
  /** Only those of customers on this test clock. @defaultValue those on none, or of `customerId` */
  readonly clock?: TestClockId;
}

export interface InvoiceReader {
  /** Deleted ones too. */
  find(owner: Owner, id: InvoiceId): Promise<Invoice | undefined>;
  /** The invoices of `ids` that belong to this owner, deleted ones too, in no order; one query. */
  findMany(owner: Owner, ids: readonly InvoiceId[]): Promise<readonly Invoice[]>;
  /**
   * Invoices that are not deleted.
   * @throws `invalid_cursor` when a cursor is not the id of an invoice of this owner, deleted or not
   */
  list(owner: Owner, filter: InvoiceFilter, page: PageRequest): Promise<Page<Invoice>>;
}

/** Bound to one transaction. */
export interface InvoiceRepository extends InvoiceReader {
  /**
   * Locks an invoice that a worker must look at by `now`; undefined if it is not due any more, or if
   * another transaction has locked it. Instead of a draft, it is the oldest draft of its subscription that
   * is due, so that drafts get their numbers in order; the caller has locked the subscription. What the
   * transaction needs after that, it waits for only a moment.
   */
  takeDue(due: DueInvoice, now: Date): Promise<Invoice | undefined>;
  /** Locks the row of an invoice. */
  findForUpdate(owner: Owner, id: InvoiceId): Promise<Invoice | undefined>;
  /**
   * The drafts of a pause are due: a worker issues them, the oldest first. It also charges those that were
   * issued by hand meanwhile, and that nobody tried to charge.
   */
  releaseDrafts(owner: Owner, subscription: SubscriptionId, at: Date): Promise<void>;
  /**
   * When a worker looks at what is not paid of a subscription that has ended, and ends it; null: it stays as it is,
   * and only people do something about it.
   */
  wakeUnpaid(
    owner: Owner,
    subscription: SubscriptionId,
    due: { readonly at: Date | null; readonly except?: readonly InvoiceId[] },
  ): Promise<void>;
  /**
   * The next number of an owner. Others of the same owner wait for the end of the transaction, so that
   * a number that is not used is given again.
   */
  takeNumber(owner: Owner): Promise<number>;
  /** The e-mails to a customer since a time whose keys begin so, sent or not. */
  countMails(
    to: CustomerId,
    mails: { readonly begin: string; readonly since: Date },
  ): Promise<number>;
}

/** What an admin looks for. */
export interface AdminInvoiceFilter
  extends AdminListFilter<Exclude<InvoiceState['status'], 'deleted'>> {
  readonly customerId?: CustomerId;
  readonly subscriptionId?: SubscriptionId;
  readonly dueBefore?: Date;
  /** Only those of which a worker cannot do what is due, or only the others. */
  readonly isFailing?: boolean;
  /** Open ones whose due date has passed by a time, or by that of their test clock; or the others. */
  readonly overdue?: { readonly at: Date; readonly isOverdue: boolean };
}

/** Invoices of all accounts that are not deleted, for admins. */
export interface InvoiceDirectory {
  /** @param scope invoices outside it are not found */
  find(scope: AdminScope, id: InvoiceId): Promise<Invoice | undefined>;
  /** Newest first. @throws `invalid_cursor` */
  list(scope: AdminScope, filter: AdminInvoiceFilter, page: PageRequest): Promise<Page<Invoice>>;
  /** The charges of invoices of one customer, at most `limit`, newest first. */
  attemptsOf(
    of: Owner & { readonly customerId: CustomerId; readonly invoiceIds: readonly InvoiceId[] },
    limit: number,
  ): Promise<readonly Charge[]>;
}

/** An invoice that a worker must look at. */
export interface DueInvoice extends Owner {
  readonly id: InvoiceId;
  readonly nextActionAt: Date;
}

/** What workers do about invoices. */
export interface InvoiceQueue {
  /**
   * What is due by `now` and on no test clock: of each account the oldest, at most as many as its settings
   * allow for a second. At most `limit` accounts, which have equal shares of `limit` in all. It locks nothing.
   * @param from where the pass before stopped: owners after this one come first
   */
  findDue(asked: DueQuery): Promise<readonly DueInvoice[]>;
  /** What is due on a test clock, at `until` at the latest: the earliest first. */
  findDueOn(clock: TestClockId, until: Date, limit: number): Promise<readonly DueInvoice[]>;
  /**
   * It is looked at again later.
   * @param failing why nothing could be done; what it failed by before keeps its time. @defaultValue it only waits
   */
  postpone(due: DueInvoice, until: Date, failing?: Failing): Promise<void>;
  /** Why what is due could not be done before; undefined: it did not fail. */
  failingOf(due: DueInvoice): Promise<Failing | undefined>;
  /**
   * Results of charges of which their invoices do not know, at most `limit`, in the order of the invoices.
   * @param after where the step before ended. @defaultValue the beginning
   */
  findMissed(limit: number, after?: MissedResult): Promise<readonly MissedResult[]>;
  /**
   * Deletes to whom invoices were issued, the texts of merchants in them and in their invoice items, and
   * metadata. What is not paid or void yet is kept.
   * @returns where the next step begins; undefined: these were the last
   */
  expunge(walk: ExpungeWalk & { readonly at: Date }): Promise<BillingPosition | undefined>;
}

/** One step along all invoices or subscriptions. */
export interface ExpungeWalk {
  /** Where the step before ended; absent: the first. */
  readonly after?: BillingPosition;
  readonly endedBefore: Date;
  /** So many are looked at. */
  readonly limit: number;
}

/** An invoice or a subscription, in the order in which they are stored. */
export interface BillingPosition extends Owner {
  readonly id: string;
}

/** A charge whose result its invoice does not have. */
export interface MissedResult extends Owner {
  readonly invoiceId: InvoiceId;
  readonly chargeId: ChargeId;
}

/** Of each account the oldest that is due, so that one with much to do does not delay the others. */
export interface DueQuery {
  readonly now: Date;
  readonly from: Owner | undefined;
  readonly limit: number;
}

export interface InvoiceItemFilter {
  readonly customerId?: CustomerId;
  readonly invoiceId?: InvoiceId;
  /** Only those that wait for an invoice, or only others. */
  readonly isPending?: boolean;
  readonly created?: CreatedFilter;
  /** Only those of customers on this test clock. @defaultValue those on none, or of `customerId` */
  readonly clock?: TestClockId;
}

export interface InvoiceItemReader {
  /** Deleted ones too. */
  find(owner: Owner, id: InvoiceItemId): Promise<InvoiceItem | undefined>;
  /**
   * Invoice items that are not deleted.
   * @throws `invalid_cursor` when a cursor is not the id of an invoice item of this owner, deleted or not
   */
  list(owner: Owner, filter: InvoiceItemFilter, page: PageRequest): Promise<Page<InvoiceItem>>;
}

/** What waits for an invoice of a customer. */
export interface WaitingItems {
  readonly customerId: CustomerId;
  readonly currency: string;
  /** What waits for an invoice of this subscription too. @defaultValue only what waits for no certain one */
  readonly subscriptionId?: SubscriptionId;
}

/** Bound to one transaction. */
export interface InvoiceItemRepository extends InvoiceItemReader {
  /** Locks the row of an item. */
  findForUpdate(owner: Owner, id: InvoiceItemId): Promise<InvoiceItem | undefined>;
  /** How many items wait for a customer. */
  countWaiting(owner: Owner, customerId: CustomerId): Promise<number>;
  /** The currency of the oldest item that waits; undefined if none does. */
  oldestCurrency(owner: Owner, customerId: CustomerId): Promise<string | undefined>;
  /**
   * Gives an invoice the oldest items that wait, at most `limit`, in the order in which they were made.
   * Of two invoices at once, one gets an item.
   */
  take(
    owner: Owner,
    waiting: WaitingItems,
    invoice: InvoiceId,
    limit: number,
  ): Promise<readonly InvoiceItem[]>;
  /** Adds items of one owner, which wait. */
  insert(items: readonly InvoiceItem[]): Promise<void>;
  /**
   * The items of a draft wait again.
   * @param only these. @defaultValue all
   */
  release(owner: Owner, invoice: InvoiceId, only?: readonly InvoiceItemId[]): Promise<void>;
  /** What waits for changes to time that is not billed any more is gone. */
  dropProrations(
    owner: Owner,
    of: {
      readonly subscriptionId: SubscriptionId;
      /** Of its items, in ISO 8601. */
      readonly times: readonly {
        readonly itemId: SubscriptionItemId;
        readonly start: string;
        readonly end: string;
      }[];
    },
    at: Date,
  ): Promise<void>;
}

/** The host's hook, before an invoice gets its number; bound to one transaction. */
export interface InvoiceHookRepository {
  /**
   * Calls the hook in this transaction. What it wrote is rolled back if it throws.
   * @returns what the hook returned, unchecked; undefined without a hook
   * @throws HookError if it throws, or takes too long
   */
  finalizing(draft: DraftInvoice): Promise<unknown>;
}
