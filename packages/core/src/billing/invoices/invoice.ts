import type { Owner } from '../../kernel/basics/environment.ts';
import type {
  ChargeId,
  CustomerId,
  InvoiceId,
  PaymentMethodId,
  SubscriptionId,
} from '../../kernel/basics/id.ts';
import type { Maker } from '../../kernel/callers/maker.ts';
import type { Address } from '../../payments/contacts/contact.ts';
import type { Clocked } from '../../payments/test-clocks/object-clock.ts';
import type { Failing } from '../failing.ts';
import { type InvoiceLine, totalOf, withBalance } from './invoice-lines.ts';

/** Why an invoice was made. */
export const BILLING_REASONS = [
  'subscription_create',
  'subscription_cycle',
  'subscription_update',
  'manual',
] as const;
export type BillingReason = (typeof BILLING_REASONS)[number];

/** Whether Paymount charges the customer, or the customer pays within some days. */
export const COLLECTION_METHODS = ['charge_automatically', 'send_invoice'] as const;
export type CollectionMethod = (typeof COLLECTION_METHODS)[number];

/** The fields that a caller may change while the invoice is a draft. */
export interface InvoiceEdit {
  readonly autoAdvance: boolean;
  readonly collectionMethod: CollectionMethod;
  /** Of `send_invoice`: until when it is due after its finalization. */
  readonly daysUntilDue: number | null;
  /** Of `send_invoice`: when it is due; it goes before `daysUntilDue`. */
  readonly dueDate: Date | null;
  readonly defaultPaymentMethodId: PaymentMethodId | null;
  readonly description: string | null;
  readonly footer: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

interface InvoiceFacts extends Owner, InvoiceEdit, Clocked {
  readonly id: InvoiceId;
  /** Increments with every commit; the functions below leave it alone. */
  readonly version: number;
  readonly customerId: CustomerId;
  readonly subscriptionId: SubscriptionId | null;
  /** The period of the subscription that it bills; null: none, or a change within one. */
  readonly periodIndex: number | null;
  /** The period within which it bills a change. @defaultValue none, or the one that begins at `periodStart` */
  readonly changedIndex?: number;
  readonly billingReason: BillingReason;
  readonly currency: string;
  /** It never changes once the invoice is finalized. */
  readonly lines: readonly InvoiceLine[];
  /** Minor units: the sum of its lines; negative: a credit. */
  readonly total: number;
  readonly periodStart: Date;
  readonly periodEnd: Date;
  /** How often it was tried to charge it. */
  readonly attemptCount: number;
  /** The charge of the newest attempt. */
  readonly chargeId: ChargeId | null;
  readonly created: Date;
  /**
   * Its subscription ended while it was charged: it becomes void if the charge fails, and otherwise the
   * money is given back.
   */
  readonly isAbandoned: boolean;
  /** `subscription.payment_failed` was recorded for its period. @defaultValue false */
  readonly isFailureAnnounced?: boolean;
  /** The code of the error for which its money could not be given back; a person must. @defaultValue none */
  readonly refundFailure?: string;
  /** It may be paid or voided later. @defaultValue never */
  readonly markedUncollectibleAt?: Date;
  /** When a worker finalizes it, or charges it. @defaultValue never */
  readonly nextActionAt?: Date;
  /** What keeps a worker from doing what is due; any change ends it. @defaultValue nothing */
  readonly failing?: Failing;
  readonly createdBy?: Maker;
}

/** Whom it was issued to: a copy, so that it stays as it was issued. */
export interface IssuedTo {
  readonly name: string | null;
  readonly email: string | null;
  readonly address: Address | null;
}

/** What an invoice got when it was finalized. None of it ever changes. */
export interface Issue {
  /** From 1, without gaps, in its account and environment. */
  readonly number: number;
  /** The balance of the customer before it; negative: a credit. */
  readonly startingBalance: number;
  readonly endingBalance: number;
  /** Minor units. */
  readonly amountDue: number;
  readonly issuedTo: IssuedTo;
  readonly finalizedAt: Date;
}

/** An invoice is exactly one of these; `INVOICE_TRANSITIONS` has the transitions. */
export type InvoiceState =
  | { readonly status: 'draft' }
  | { readonly status: 'deleted'; readonly deletedAt: Date }
  | { readonly status: 'open'; readonly issue: Issue }
  | {
      readonly status: 'paid';
      readonly issue: Issue;
      readonly paidAt: Date;
      /** The merchant says that it was paid elsewhere. */
      readonly isPaidOutOfBand: boolean;
    }
  | { readonly status: 'void'; readonly issue: Issue; readonly voidedAt: Date }
  | { readonly status: 'uncollectible'; readonly issue: Issue };

export type Invoice = InvoiceFacts & InvoiceState;
export type InvoiceStatus = InvoiceState['status'];
export type DraftInvoice = Extract<Invoice, { status: 'draft' }>;
export type IssuedInvoice = Extract<Invoice, { issue: Issue }>;
export type PayableInvoice = Extract<Invoice, { status: 'open' | 'uncollectible' }>;

/** From which states each action leads, and to which. */
export const INVOICE_TRANSITIONS = {
  delete: { from: ['draft'], to: 'deleted' },
  finalize: { from: ['draft'], to: 'open' },
  pay: { from: ['open', 'uncollectible'], to: 'paid' },
  void: { from: ['open', 'uncollectible'], to: 'void' },
  mark_uncollectible: { from: ['open'], to: 'uncollectible' },
} as const satisfies Readonly<
  Record<string, { readonly from: readonly InvoiceStatus[]; readonly to: InvoiceStatus }>
>;
export type InvoiceAction = keyof typeof INVOICE_TRANSITIONS;

const DAY_MS = 24 * 60 * 60 * 1000;

/** The draft with other lines. */
export function draftWithLines(draft: DraftInvoice, lines: readonly InvoiceLine[]): DraftInvoice {
  return { ...draft, lines, total: totalOf(lines) };
}

/** The draft that is gone. */
export function deletedDraft(draft: DraftInvoice, at: Date): Invoice {
  const { nextActionAt: _, ...rest } = draft;
  return { ...rest, status: 'deleted', deletedAt: at };
}

/**
 * The invoice that is issued to its customer: `open`, or `paid` if nothing is due.
 * @param by its number, the balance of the customer, whom it is issued to, and the business time
 */
export function finalized(
  draft: DraftInvoice,
  by: Pick<Issue, 'number' | 'startingBalance' | 'issuedTo'> & { readonly at: Date },
): IssuedInvoice {
  const { number, startingBalance, issuedTo, at } = by;
  const { nextActionAt: _, ...rest } = draft;
  const issue: Issue = {
    number,
    startingBalance,
    ...withBalance(draft.total, startingBalance),
    issuedTo,
    finalizedAt: at,
  };
  const dueDate = dueDateOf(draft, at);
  const facts = { ...rest, dueDate };
  if (issue.amountDue === 0) {
    return { ...facts, issue, status: 'paid', paidAt: at, isPaidOutOfBand: false };
  }
  const isCharged = draft.autoAdvance && draft.collectionMethod === 'charge_automatically';
  return { ...facts, issue, status: 'open', ...(isCharged && { nextActionAt: at }) };
}

/** An invoice that is charged is due when it is issued, and no customer has to know a date. */
function dueDateOf(
  { collectionMethod, dueDate, daysUntilDue }: InvoiceFacts,
  at: Date,
): Date | null {
  if (collectionMethod !== 'send_invoice') return null;
  return dueDate ?? new Date(at.getTime() + (daysUntilDue ?? 0) * DAY_MS);
}

/** The invoice with one more attempt to charge it. @param chargeId null: there was nothing to charge */
export function attempted(invoice: PayableInvoice, chargeId: ChargeId | null): PayableInvoice {
  const { status, issue } = invoice;
  const facts = factsOf(invoice);
  const attemptCount = invoice.attemptCount + 1;
  return { ...facts, chargeId: chargeId ?? invoice.chargeId, attemptCount, issue, status };
}

/** The invoice that was paid. */
export function paid(invoice: PayableInvoice, at: Date, isPaidOutOfBand = false): IssuedInvoice {
  return { ...factsOf(invoice), issue: invoice.issue, status: 'paid', paidAt: at, isPaidOutOfBand };
}

/** The invoice that nobody has to pay any more. A worker gives back what it took of the balance. */
export function voided(invoice: PayableInvoice, at: Date): IssuedInvoice {
  const { issue } = invoice;
  const isOwed = issue.startingBalance !== issue.endingBalance;
  const facts = { ...factsOf(invoice), ...(isOwed && { nextActionAt: at }) };
  return { ...facts, issue, status: 'void', voidedAt: at };
}

/** The invoice that the merchant does not expect to be paid. */
export function markedUncollectible(invoice: PayableInvoice, at: Date): IssuedInvoice {
  const facts = { ...factsOf(invoice), markedUncollectibleAt: at };
  return { ...facts, issue: invoice.issue, status: 'uncollectible' };
}

/** The invoice that no worker has to look at. */
export function withoutAction(invoice: Invoice): Invoice {
  const { nextActionAt: _, ...rest } = invoice;
  return rest;
}

/** The invoice whose subscription ended while it was charged. No worker looks at it before the outcome. */
export function abandoned(invoice: PayableInvoice): PayableInvoice {
  const { issue, status } = invoice;
  return { ...factsOf(invoice), issue, status, isAbandoned: true };
}

/** The invoice whose money a worker gives back: it was paid after its subscription had ended. */
export function withRefundDue(invoice: Invoice, at: Date): Invoice {
  return { ...invoice, nextActionAt: at };
}

/** Whether it has a state that allows an action. */
export function allows(invoice: Invoice, action: InvoiceAction): boolean {
  const from: readonly InvoiceStatus[] = INVOICE_TRANSITIONS[action].from;
  return from.includes(invoice.status);
}

/** The facts without the fields of the state. */
function factsOf(invoice: PayableInvoice): InvoiceFacts {
  const { status: _, issue: __, nextActionAt: ___, ...facts } = invoice;
  return facts;
}
