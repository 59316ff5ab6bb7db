import type {
  InvoiceItemId,
  InvoiceLineId,
  PriceId,
  SubscriptionItemId,
} from '../../kernel/basics/id.ts';

/** The most lines of one invoice: 20 of a subscription, and the items that waited for it. */
export const MAX_LINES = 270;
/** Minor units, of one line and of an invoice. */
export const MAX_INVOICE_AMOUNT = 99_999_999;

/** One line of an invoice. It never changes once the invoice is finalized. */
export interface InvoiceLine {
  readonly id: InvoiceLineId;
  /** Minor units; negative: a credit. */
  readonly amount: number;
  readonly description: string;
  readonly quantity: number;
  readonly priceId: PriceId | null;
  /** The time that is paid for, in ISO 8601. */
  readonly period: { readonly start: string; readonly end: string };
  readonly isProration: boolean;
  readonly subscriptionItemId: SubscriptionItemId | null;
  readonly invoiceItemId: InvoiceItemId | null;
}

/** The sum of lines, in minor units. */
export function totalOf(lines: readonly Pick<InvoiceLine, 'amount'>[]): number {
  return lines.reduce((sum, { amount }) => sum + amount, 0);
}

/** What an invoice asks for, and what is left of the balance of its customer. */
export interface Settled {
  /** Minor units that are to be paid: never negative. */
  readonly amountDue: number;
  /** The balance afterwards; negative: a credit. */
  readonly endingBalance: number;
}

/**
 * Applies the balance of the customer. A credit pays as much of the total as it can; what the customer
 * owes is added. A negative total is not paid out: it becomes a credit.
 * @param total minor units, may be negative
 * @param balance minor units; negative: a credit
 */
export function withBalance(total: number, balance: number): Settled {
  const sum = total + balance;
  return sum > 0 ? { amountDue: sum, endingBalance: 0 } : { amountDue: 0, endingBalance: sum };
}
