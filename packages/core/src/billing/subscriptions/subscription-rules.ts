import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { MAX_INVOICE_AMOUNT, totalOf } from '../invoices/invoice-lines.ts';
import { MAX_TRIAL_DAYS } from '../prices/price-input.ts';
import { type BillingCalendar, boundary } from './billing-calendar.ts';
import type { LineDraft } from './billing-decision.ts';
import { fullCost, type PricedItem, type Subscription } from './subscription.ts';

const DAY_MS = 86_400_000;

/** The times that a new subscription begins with. */
export interface StartTimes extends Omit<BillingCalendar, 'anchor'> {
  readonly trialEnd: Date | null;
  readonly anchor: Date | null;
  readonly backdatedTo: Date | null;
  readonly cancelAt: Date | null;
}

/**
 * The times of a new subscription.
 * @throws PaymountError `trial_end_in_past`, `cancel_at_in_past`, `parameter_invalid`
 */
export function assertStart(input: StartTimes, now: Date): void {
  const { trialEnd, anchor, backdatedTo, cancelAt } = input;
  if (trialEnd !== null) assertTrialEnd(trialEnd, now);
  if (cancelAt !== null) assertCancelAt(cancelAt, now);
  if (backdatedTo !== null && backdatedTo >= now) {
    const message = `backdate_start_date must be before now, ${now.toISOString()}.`;
    throw new PaymountError('parameter_invalid', message, { param: 'backdate_start_date' });
  }
  if (anchor !== null) assertAnchor(input, anchor, trialEnd ?? now);
}

/** @throws PaymountError `parameter_invalid` if the anchor is more than one interval ahead */
function assertAnchor(input: StartTimes, anchor: Date, from: Date): void {
  const param = 'billing_cycle_anchor';
  const since = input.trialEnd === null ? 'now' : 'the end of the trial';
  if (anchor < from) {
    const message = `${param} must not be before ${since}, ${from.toISOString()}.`;
    throw new PaymountError('parameter_invalid', message, { param });
  }
  const { timezone, interval, intervalCount } = input;
  const latest = boundary({ anchor: from, timezone, interval, intervalCount }, 1);
  if (anchor <= latest) return;
  const message = `${param} must be within one interval of ${since}: at the latest ${latest.toISOString()}.`;
  throw new PaymountError('parameter_invalid', message, { param });
}

/** @throws PaymountError `trial_end_in_past`, `parameter_invalid` if it is more than two years ahead */
export function assertTrialEnd(trialEnd: Date, now: Date): void {
  const param = 'trial_end';
  if (trialEnd <= now) {
    const message = `trial_end is ${trialEnd.toISOString()}, which is not in the future; send a later time, or now.`;
    throw new PaymountError('trial_end_in_past', message, { param });
  }
  if (trialEnd.getTime() - now.getTime() <= MAX_TRIAL_DAYS * DAY_MS) return;
  const message = 'trial_end must be at most 730 days ahead.';
  throw new PaymountError('parameter_invalid', message, { param });
}

/** @throws PaymountError `cancel_at_in_past` */
export function assertCancelAt(cancelAt: Date, now: Date): void {
  if (cancelAt > now) return;
  const message = `cancel_at is ${cancelAt.toISOString()}, which is not in the future; send a later time, or cancel the subscription now.`;
  throw new PaymountError('cancel_at_in_past', message, { param: 'cancel_at' });
}

/**
 * The amounts of the items of a full period.
 * @throws PaymountError `amount_too_large` for a line or for their sum, which would be an invoice
 */
export function assertItemAmounts(items: readonly PricedItem[]): void {
  const max = BigInt(MAX_INVOICE_AMOUNT);
  const sum = items.reduce((all, item) => all + fullCost(item), 0n);
  if (sum <= max) return;
  const item = items.find((each) => fullCost(each) > max);
  const what = item === undefined ? 'A period' : `A period of ${item.quantity} × ${item.name}`;
  const cost = item === undefined ? sum : fullCost(item);
  const message = `${what} would cost ${cost} minor units; at most ${max} can be invoiced. Lower the quantity.`;
  throw new PaymountError('amount_too_large', message, { param: 'items' });
}

/** @throws PaymountError `amount_too_large` if an invoice would ask for too much */
export function assertInvoiceTotal(lines: readonly LineDraft[]): void {
  const total = totalOf(lines);
  if (total <= MAX_INVOICE_AMOUNT) return;
  const message = `The invoice would ask for ${total} minor units; at most ${MAX_INVOICE_AMOUNT} can be invoiced.`;
  throw new PaymountError('amount_too_large', message, { param: 'items' });
}

/** @throws PaymountError `subscription_canceled` for one that is over */
export function assertLive(subscription: Subscription): void {
  const { id, status } = subscription;
  if (status !== 'canceled' && status !== 'incomplete_expired') return;
  const message = `Subscription ${id} is ${status}; create another one.`;
  throw new PaymountError('subscription_canceled', message);
}

/** Whether an invoice of the current period asks for money that was not paid. */
export function isUnpaid({ status }: Pick<Subscription, 'status'>): boolean {
  return status === 'past_due' || status === 'unpaid' || status === 'incomplete';
}

/** The error for a change whose lines would give back time that was not paid. @param cures how to end it */
export function unpaidError(
  { id, status }: Subscription,
  cures: string,
  param: string,
): PaymountError {
  const message = `Subscription ${id} is ${status}: the invoice of its current period is not paid. ${cures}`;
  return new PaymountError('subscription_unpaid', message, { param });
}

/**
 * Refuses to change a period that is over before its renewal has run.
 * @throws PaymountError `subscription_renewal_due`
 */
export function assertPeriodRuns(subscription: Subscription, now: Date): void {
  const { status, period } = subscription;
  if ((status !== 'active' && status !== 'trialing') || now < period.end) return;
  throw new PaymountError('subscription_renewal_due');
}
