import { timeOf } from '../../payments/test-clocks/object-clock.ts';
import { dropProrations } from '../invoices/drop-prorations.ts';
import {
  abandoned,
  deletedDraft,
  type Invoice,
  voided,
  withoutAction,
} from '../invoices/invoice.ts';
import { type InvoiceWrite, invoiceUpdate } from '../invoices/invoice-storage.ts';
import { unapplyBalance } from '../invoices/issue-invoice.ts';
import { liveChargeOf } from '../invoices/live-charge.ts';
import { chargedUncollectible } from './give-up-invoices.ts';
import type { Subscription } from './subscription.ts';
import type { SubscriptionRepositories } from './subscription-storage.ts';
import { isOfCurrentPeriod } from './voided-time.ts';
import { lostCreditsOf } from './waiting-item.ts';

/** Ended in the same commit; a worker ends the others at once. */
const AT_ONCE = 20;

type Rows = Pick<
  SubscriptionRepositories,
  'invoices' | 'invoiceItems' | 'charges' | 'customers' | 'customerBalances' | 'prices' | 'products'
>;

/**
 * Ends the invoices of a subscription that are not paid when it ends: nothing is collected any more,
 * so open ones are void, and drafts are gone. One that is being charged, or was, follows when the outcome is recorded,
 * also if it is uncollectible.
 * @param subscription locked
 * @param isOtherMoved the same commit moves the balance of the customer for something else. @defaultValue false
 */
export async function endInvoices(
  rows: Rows,
  subscription: Subscription,
  at: Date,
  isOtherMoved = false,
): Promise<readonly InvoiceWrite[]> {
  const now = timeOf(subscription, at);
  const writes: InvoiceWrite[] = [];
  let isBalanceMoved = isOtherMoved;
  for (const invoice of await unpaidInvoices(rows, subscription)) {
    if (invoice.status === 'open' && (await liveChargeOf(rows, invoice)) !== undefined) {
      writes.push(invoiceUpdate(invoice, abandoned(invoice)));
    } else if (invoice.status === 'draft') {
      // What it took goes on waiting, so that comes after.
      if (isOfCurrentPeriod(subscription, invoice)) await dropProrations(rows, invoice, at);
      await rows.invoiceItems.release(invoice, invoice.id);
      writes.push(invoiceUpdate(invoice, deletedDraft(invoice, now)));
    } else if (invoice.status === 'open') {
      const gone = voided(invoice, now);
      if (isOfCurrentPeriod(subscription, gone)) await dropProrations(rows, gone, at);
      await rows.invoiceItems.insert(
        await lostCreditsOf(rows, subscription, { invoice: gone, at }),
      );
      // The balances of a customer form a chain, so a commit has one move, and a worker makes the others.
      const moves: readonly InvoiceWrite[] = isBalanceMoved
        ? []
        : await unapplyBalance(rows, gone, at);
      isBalanceMoved ||= moves.length > 0;
      writes.push(invoiceUpdate(invoice, moves.length > 0 ? withoutAction(gone) : gone), ...moves);
    }
  }
  for (const { invoice: seen } of await chargedUncollectible(rows, subscription)) {
    const invoice = await rows.invoices.findForUpdate(seen, seen.id);
    if (invoice?.status === 'uncollectible')
      writes.push(invoiceUpdate(invoice, abandoned(invoice)));
  }
  const { accountId, environment, id } = subscription;
  const ended = writes.flatMap(({ kind, row }) => (kind === 'invoice' ? [row.id] : []));
  await rows.invoices.wakeUnpaid({ accountId, environment }, id, { at: now, except: ended });
  return writes;
}

/** The drafts and open invoices of a subscription, locked, the oldest first. */
async function unpaidInvoices(rows: Rows, subscription: Subscription): Promise<readonly Invoice[]> {
  const { accountId, environment, id: subscriptionId } = subscription;
  const owner = { accountId, environment };
  const locked: Invoice[] = [];
  for (const status of ['open', 'draft'] as const) {
    const { data } = await rows.invoices.list(
      owner,
      { subscriptionId, status },
      { limit: AT_ONCE },
    );
    for (const { id } of data.toReversed()) {
      const invoice = await rows.invoices.findForUpdate(owner, id);
      if (invoice !== undefined) locked.push(invoice);
    }
  }
  return locked;
}
