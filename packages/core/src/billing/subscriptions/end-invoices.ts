import type { Write } from '../../changes/change.ts';
import type { Owner } from '../../kernel/basics/environment.ts';
import type { SubscriptionId } from '../../kernel/basics/id.ts';
import { timeOf } from '../../payments/test-clocks/object-clock.ts';
import { abandoned, type Invoice, voided, withoutAction } from '../invoices/invoice.ts';
import { invoiceUpdate } from '../invoices/invoice-storage.ts';
import type { Subscription } from './subscription.ts';
import type { SubscriptionRepositories } from './subscription-storage.ts';

/** More than one subscription has open at once; a worker ends the others. */
const MAX_OPEN = 100;

/**
 * What becomes of the open invoices of a subscription that ends: nothing is collected any more, so they are
 * void. One that is being charged follows when the outcome is known. Drafts stay, and nobody issues them
 * unasked.
 * @param subscription locked
 */
export async function endInvoices(
  rows: Pick<SubscriptionRepositories, 'invoices' | 'charges'>,
  subscription: Subscription,
  at: Date,
): Promise<readonly Write<'invoice', Invoice>[]> {
  const { accountId, environment, id: subscriptionId } = subscription;
  const owner = { accountId, environment };
  const filter = { subscriptionId, status: 'open' } as const;
  const { data } = await rows.invoices.list(owner, filter, { limit: MAX_OPEN });
  const writes: Write<'invoice', Invoice>[] = [];
  for (const { id } of data.toReversed()) {
    const invoice = await rows.invoices.findForUpdate(owner, id);
    if (invoice?.status !== 'open') continue;
    const charge = invoice.chargeId && (await rows.charges.find(owner, invoice.chargeId));
    const isCharged = charge && charge.status === 'pending';
    const next = isCharged ? abandoned(invoice) : voided(invoice, timeOf(subscription, at));
    writes.push(invoiceUpdate(invoice, next));
  }
  return [...writes, ...(await keepDrafts(rows, owner, subscriptionId))];
}

/** After a pause, drafts wait to be issued and charged. */
async function keepDrafts(
  rows: Pick<SubscriptionRepositories, 'invoices'>,
  owner: Owner,
  subscriptionId: SubscriptionId,
): Promise<readonly Write<'invoice', Invoice>[]> {
  const filter = { subscriptionId, status: 'draft' } as const;
  const { data } = await rows.invoices.list(owner, filter, { limit: MAX_OPEN });
  const writes: Write<'invoice', Invoice>[] = [];
  for (const { id, autoAdvance } of data.toReversed()) {
    const draft = autoAdvance ? await rows.invoices.findForUpdate(owner, id) : undefined;
    if (draft?.status !== 'draft') continue;
    writes.push(invoiceUpdate(draft, withoutAction({ ...draft, autoAdvance: false })));
  }
  return writes;
}
