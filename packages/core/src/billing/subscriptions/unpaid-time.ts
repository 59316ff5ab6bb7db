import type { InvoiceId, SubscriptionItemId } from '../../kernel/basics/id.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { Invoice } from '../invoices/invoice.ts';
import type { LineDraft } from './billing-decision.ts';
import type { Subscription } from './subscription.ts';
import type { SubscriptionRepositories } from './subscription-storage.ts';
import { isOfCurrentPeriod } from './voided-time.ts';

type Rows = Pick<SubscriptionRepositories, 'invoices'>;

/** Invoices that ask for time, and may or may not be paid. */
const UNPAID = ['open', 'draft', 'uncollectible'] as const;
const PAGE = 100;

/** Time of an item that an invoice asks for, and nobody has paid; ISO 8601. */
interface UnpaidTime {
  readonly invoice: Pick<Invoice, 'id' | 'status'>;
  readonly itemId: SubscriptionItemId;
  readonly start: string;
  readonly end: string;
}

/** Whether time of the current period was invoiced and not paid, so it gives nothing back. */
export async function hasUnpaidTime(rows: Rows, subscription: Subscription): Promise<boolean> {
  if (subscription.chargingInvoiceId !== null) return true;
  return (await unpaidTimes(rows, subscription)).length > 0;
}

/**
 * Refuses lines that give back time which nobody has paid: a debit may return, and an invoice may become void.
 * @param subscription locked
 * @param param the parameter without which nothing is given back
 * @throws PaymountError `subscription_unpaid`
 */
export async function assertCreditsPaid(
  rows: Rows,
  subscription: Subscription,
  { lines, param }: { readonly lines: readonly LineDraft[]; readonly param: CreditParam },
): Promise<void> {
  const credits = lines.filter(({ amount, isProration }) => isProration && amount < 0);
  if (credits.length === 0) return;
  const unpaid = (await unpaidTimes(rows, subscription)).find((time) =>
    credits.some(
      ({ subscriptionItemId, period }) =>
        subscriptionItemId === time.itemId && period.start < time.end && time.start < period.end,
    ),
  );
  if (unpaid !== undefined) throw unpaidTimeError(subscription.id, unpaid.invoice, param);
}

/** Where a caller asks for credits, and the value that asks for none. */
export type CreditParam = keyof typeof WITHOUT_CREDITS;
const WITHOUT_CREDITS = {
  proration_behavior: 'proration_behavior=none',
  prorate: 'prorate=false',
} as const;

function unpaidTimeError(
  id: Subscription['id'],
  { id: invoiceId, status }: { readonly id: InvoiceId; readonly status: Invoice['status'] },
  param: CreditParam,
): PaymountError {
  const cure = status === 'draft' ? 'Finalize it and have it paid' : 'Pay it, void it';
  const message = `Invoice ${invoiceId} of subscription ${id} asks for that time and is ${status}. ${cure}, or send ${WITHOUT_CREDITS[param]}.`;
  return new PaymountError('subscription_unpaid', message, { param });
}

async function unpaidTimes(rows: Rows, subscription: Subscription): Promise<readonly UnpaidTime[]> {
  const current = subscription.period.start.toISOString();
  const times: UnpaidTime[] = [];
  for (const status of UNPAID) {
    for await (const invoice of invoicesOf(rows, subscription, status)) {
      if (!isOfCurrentPeriod(subscription, invoice)) continue;
      for (const { subscriptionItemId: itemId, period } of invoice.lines) {
        if (itemId === null || period.end <= current) continue;
        times.push({ invoice, itemId, ...period });
      }
    }
  }
  return times;
}

/** All of them, the newest first. */
async function* invoicesOf(
  { invoices }: Rows,
  { accountId, environment, id: subscriptionId }: Subscription,
  status: (typeof UNPAID)[number],
): AsyncGenerator<Invoice> {
  const filter = { subscriptionId, status };
  let startingAfter: InvoiceId | undefined;
  for (let hasMore = true; hasMore; ) {
    const page = { limit: PAGE, ...(startingAfter !== undefined && { startingAfter }) };
    const found = await invoices.list({ accountId, environment }, filter, page);
    yield* found.data;
    startingAfter = found.data.at(-1)?.id;
    hasMore = found.hasMore && startingAfter !== undefined;
  }
}
