import { type InvoiceWrite, invoiceUpdate } from '../invoices/invoice-storage.ts';
import { openInvoicesOf } from './give-up-invoices.ts';
import type { Subscription } from './subscription.ts';
import type { SubscriptionRepositories } from './subscription-storage.ts';

/**
 * Nothing follows from a charge that fails in a trial or in a pause, such as a debit that returns. When periods begin
 * again, a worker charges such invoices again, and what follows then is as for any other.
 * @param before locked
 * @returns nothing if no trial or pause ends
 */
export async function collectedAgain(
  rows: Pick<SubscriptionRepositories, 'invoices' | 'charges'>,
  before: Subscription,
  { after, at }: { readonly after: Pick<Subscription, 'status'>; readonly at: Date },
): Promise<readonly InvoiceWrite[]> {
  const isIdle = before.status === 'trialing' || before.status === 'paused';
  if (!isIdle || after.status !== 'active') return [];
  const writes: InvoiceWrite[] = [];
  for (const { invoice: seen, isCharging } of await openInvoicesOf(rows, before)) {
    const { attemptCount, collectionMethod } = seen;
    if (isCharging || attemptCount === 0 || collectionMethod !== 'charge_automatically') continue;
    const invoice = await rows.invoices.findForUpdate(before, seen.id);
    if (invoice?.status === 'open')
      writes.push(invoiceUpdate(invoice, { ...invoice, nextActionAt: at }));
  }
  return writes;
}
