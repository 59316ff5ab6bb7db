import {
  type InvoiceItemId,
  type InvoiceLineId,
  newId,
  type PriceId,
  type SubscriptionItemId,
} from '../../kernel/basics/id.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { InvoiceItem } from './invoice-item.ts';

/** The most invoice items of one invoice. */
export const MAX_ITEMS = 250;
/** Minor units, of one line and of an invoice. */
export const MAX_INVOICE_AMOUNT = 99_999_999;

/** One line of an invoice. */
export interface InvoiceLine {
  readonly id: InvoiceLineId;
  /** Minor units; negative: a credit. */
  readonly amount: number;
  readonly description: string;
  readonly quantity: number;
  /** Of a proration that waited: how many were sold, as its amount is of all of them. @defaultValue `quantity` */
  readonly soldQuantity?: number;
  readonly priceId: PriceId | null;
  /** The time that is paid for, in ISO 8601. */
  readonly period: { readonly start: string; readonly end: string };
  readonly isProration: boolean;
  readonly subscriptionItemId: SubscriptionItemId | null;
  readonly invoiceItemId: InvoiceItemId | null;
}

/** The line of an invoice item. @param id of the line that it had before */
export function lineOf(item: InvoiceItem, id = newId('il')): InvoiceLine {
  return {
    id,
    amount: item.amount,
    description: item.description,
    quantity: item.quantity,
    ...(item.soldQuantity !== undefined && { soldQuantity: item.soldQuantity }),
    priceId: item.priceId,
    period: { start: item.periodStart.toISOString(), end: item.periodEnd.toISOString() },
    isProration: item.isProration,
    subscriptionItemId: item.subscriptionItemId,
    invoiceItemId: item.id,
  };
}

/** The sum of lines, in minor units. */
export function totalOf(lines: readonly Pick<InvoiceLine, 'amount'>[]): number {
  return lines.reduce((sum, { amount }) => sum + amount, 0);
}

/**
 * Refuses lines that no invoice can have.
 * @param param the parameter that adds to them
 * @throws PaymountError `invoice_item_limit_reached`, `amount_too_large`
 */
export function assertBillable(lines: readonly InvoiceLine[], param?: string): void {
  const items = lines.filter(({ invoiceItemId }) => invoiceItemId !== null).length;
  if (items > MAX_ITEMS) throw new PaymountError('invoice_item_limit_reached');
  if (Math.abs(totalOf(lines)) <= MAX_INVOICE_AMOUNT) return;
  const message = 'The lines of an invoice are at most 99,999,999 minor units together.';
  throw new PaymountError('amount_too_large', message, param === undefined ? {} : { param });
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
 * owes is added, as far as one charge can take it. A negative total is not paid out: it becomes a credit.
 * @param total minor units, may be negative
 * @param balance minor units; negative: a credit
 */
export function withBalance(total: number, balance: number): Settled {
  const sum = total + balance;
  if (sum <= 0) return { amountDue: 0, endingBalance: sum };
  const amountDue = Math.min(sum, MAX_INVOICE_AMOUNT);
  return { amountDue, endingBalance: sum - amountDue };
}
