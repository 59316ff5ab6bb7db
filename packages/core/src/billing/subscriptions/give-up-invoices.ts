import type { ChargeReader } from '../../payments/charges/charge-repository.ts';
import { abandoned, markedUncollectible, type PayableInvoice } from '../invoices/invoice.ts';
import type { InvoiceReader } from '../invoices/invoice-repository.ts';
import { type InvoiceWrite, invoiceUpdate } from '../invoices/invoice-storage.ts';
import { isLiveCharge } from '../invoices/live-charge.ts';
import type { Subscription } from './subscription.ts';

/** As many are read in one query. */
const PAGE = 100;

/** An open invoice of a subscription. */
export interface OpenInvoice {
  readonly invoice: PayableInvoice;
  /** Its charge may still bring in money. */
  readonly isCharging: boolean;
}

/** All open invoices of a subscription, the oldest first. The caller has locked the subscription. */
export async function openInvoicesOf(
  {
    invoices,
    charges,
  }: {
    readonly invoices: Pick<InvoiceReader, 'list'>;
    readonly charges: Pick<ChargeReader, 'findMany'>;
  },
  { accountId, environment, id: subscriptionId }: Subscription,
): Promise<readonly OpenInvoice[]> {
  const owner = { accountId, environment };
  const filter = { subscriptionId, status: 'open' } as const;
  const open: PayableInvoice[] = [];
  for (let isMore = true; isMore; ) {
    const last = open.at(-1);
    const page = { limit: PAGE, ...(last && { startingAfter: last.id }) };
    const { data, hasMore } = await invoices.list(owner, filter, page);
    open.push(...data.flatMap((each) => (each.status === 'open' ? [each] : [])));
    isMore = hasMore;
  }
  const ids = open.flatMap(({ chargeId }) => chargeId ?? []);
  const found = ids.length === 0 ? [] : await charges.findMany(owner, ids);
  const live = new Set(found.filter(isLiveCharge).map(({ id }) => id));
  return open.toReversed().map((invoice) => {
    const { chargeId } = invoice;
    return { invoice, isCharging: chargeId !== null && live.has(chargeId) };
  });
}

/** Whether a decision ended collection. */
export function isGivenUp(
  before: Pick<Subscription, 'status'>,
  after: Pick<Subscription, 'status'>,
): boolean {
  return before.status === 'past_due' && (after.status === 'canceled' || after.status === 'unpaid');
}

/**
 * The state of the open invoices of a subscription if a decision ended collection: nobody expects them to be paid.
 * One that is being charged follows when the outcome is known; if the subscription has ended, its money is given
 * back then.
 * @param open all but the one whose attempt failed
 * @returns nothing if collection has not ended
 */
export function givenUpInvoices(
  open: readonly OpenInvoice[],
  {
    before,
    after,
    at,
  }: {
    readonly before: Pick<Subscription, 'status'>;
    readonly after: Pick<Subscription, 'status'>;
    readonly at: Date;
  },
): readonly InvoiceWrite[] {
  if (!isGivenUp(before, after)) return [];
  return open.flatMap(({ invoice, isCharging }) => {
    if (!isCharging) return [invoiceUpdate(invoice, markedUncollectible(invoice, at))];
    return after.status === 'canceled' ? [invoiceUpdate(invoice, abandoned(invoice))] : [];
  });
}
