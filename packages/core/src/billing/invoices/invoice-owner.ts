import type { EventCause } from '../../changes/events/event-cause.ts';
import type { Owner } from '../../kernel/basics/environment.ts';
import type { PaymentMethodId, SubscriptionId } from '../../kernel/basics/id.ts';
import type { SubjectChange } from '../../payments/operations/operation-change.ts';
import type { Invoice } from './invoice.ts';
import type { InvoiceItem } from './invoice-item.ts';

/** What is committed with a change of an invoice, besides its row. */
export type InvoiceEffects = Pick<SubjectChange, 'writes' | 'events'>;

/** An invoice as its owner leaves it, and what else changes. */
export interface Followed {
  readonly invoice: Invoice;
  /** What a request about its owner is answered with then; absent if there is no owner. */
  readonly answer?: (answers: string) => object;
  readonly effects: InvoiceEffects;
}

/** Why a charge of an invoice failed. */
export interface FailedCharge {
  readonly code: string;
  readonly declineCode?: string;
  readonly isDebit?: true;
}

/** An attempt to charge an invoice that failed. */
export interface FailedAttempt {
  /** Null: nothing could be charged. */
  readonly failure: FailedCharge | null;
  /** It was due; false: somebody asked for it. */
  readonly isScheduled: boolean;
  /** Null: there was no payment method. */
  readonly methodId: PaymentMethodId | null;
  /** As `cardKey` names it; null: no card was charged. */
  readonly card: string | null;
}

/**
 * What made an invoice, as far as it must know the outcome of it: a subscription, or nothing. Each method
 * gets the invoice as it becomes. Only one is called in a transaction.
 */
export interface InvoiceOwner {
  /** What a request about it is answered with; absent if there is none. */
  readonly answer?: (answers: string) => object;
  /** Whether the outcome of a charge of one of its invoices is not known yet. @defaultValue no */
  readonly isCharging?: boolean;
  /** Whether it has ended. @defaultValue no */
  readonly isOver?: boolean;
  /** The zone of its periods. @defaultValue that of the settings */
  readonly timeZone?: string;
  /** What pays its invoices, unless they say it themselves. @defaultValue the default of the customer */
  readonly defaultPaymentMethodId?: PaymentMethodId | null;
  /** Cards, as `cardKey` names them, that a worker does not try. @defaultValue none */
  readonly forbidden?: readonly string[] | undefined;
  /** A charge is sent. */
  charging(invoice: Invoice, at: Date): Followed;
  /** A bank debit was accepted, and clears or returns days later. */
  debited(invoice: Invoice, at: Date): Followed;
  paid(invoice: Invoice, at: Date): Followed;
  failed(invoice: Invoice, charge: FailedAttempt, at: Date): Followed;
  voided(invoice: Invoice, at: Date): Promise<Followed>;
  /** The merchant does not expect it to be paid. */
  uncollectible(invoice: Invoice, at: Date): Followed;
  /**
   * An item that bills a change to its time is deleted, or asks for less: what is not billed gives nothing back.
   * @defaultValue nothing follows
   */
  unbilled?(item: InvoiceItem, at: Date): InvoiceEffects;
  /**
   * What an invoice that became void gave back for time that ended, and that nothing else would give back.
   * @returns items that are to wait for the next invoice. @defaultValue none
   */
  creditsLost?(invoice: Invoice, at: Date): Promise<readonly InvoiceItem[]>;
  /** Whether an invoice bills time of its current period. @defaultValue no */
  isOfCurrentPeriod?(invoice: Invoice): boolean;
}

/** The owner of invoices that a merchant made: nothing follows. */
const NO_OWNER: InvoiceOwner = {
  charging: nothing,
  debited: nothing,
  paid: nothing,
  failed: nothing,
  voided: async (invoice) => nothing(invoice),
  uncollectible: nothing,
};

function nothing(invoice: Invoice): Followed {
  return { invoice, effects: { writes: [] } };
}

/** A subscription that owns an invoice. */
export interface OwningSubscription extends Owner {
  readonly subscriptionId: SubscriptionId;
  /** Of the events that it records. */
  readonly cause: EventCause;
}

/**
 * Finds the owners of invoices. Locks: a charge, then the subscription, then its invoice.
 * @typeParam Read reads anywhere
 * @typeParam Rows bound to one transaction
 */
export interface InvoiceOwners<Read, Rows> {
  load(read: Read, of: OwningSubscription): Promise<InvoiceOwner>;
  /** The same, locked. */
  hold(rows: Rows, of: OwningSubscription): Promise<InvoiceOwner>;
}

/**
 * The owner of an invoice, of which only what never changes counts.
 * @param cause of the events that the owner records
 */
export function ownerOfInvoice(
  { accountId, environment, subscriptionId }: Invoice,
  cause: EventCause,
  find: (of: OwningSubscription) => Promise<InvoiceOwner>,
): Promise<InvoiceOwner> {
  return subscriptionId === null
    ? Promise.resolve(NO_OWNER)
    : find({ accountId, environment, subscriptionId, cause });
}
