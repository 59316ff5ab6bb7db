import type { ChargeReader } from '../../payments/charges/charge-repository.ts';
import type { BillingSettingsReader } from '../billing-settings/billing-settings-repository.ts';
import { abandoned, markedUncollectible, type PayableInvoice } from '../invoices/invoice.ts';
import type { InvoiceReader } from '../invoices/invoice-repository.ts';
import { type InvoiceWrite, invoiceUpdate } from '../invoices/invoice-storage.ts';
import { isLiveCharge } from '../invoices/live-charge.ts';
import type { Exhausted } from './collect-subscription.ts';
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

/**
 * The state of the open invoices of a subscription when collection ends: nobody expects them to be paid. One
 * that is being charged follows when the outcome is known; if the subscription has ended, its money is given
 * back then.
 * @param after the subscription without collection
 */
export function givenUpInvoices(
  open: readonly OpenInvoice[],
  { after, at }: { readonly after: Pick<Subscription, 'status'>; readonly at: Date },
): readonly InvoiceWrite[] {
  return open.flatMap(({ invoice, isCharging }) => {
    if (!isCharging) return [invoiceUpdate(invoice, markedUncollectible(invoice, at))];
    return after.status === 'canceled' ? [invoiceUpdate(invoice, abandoned(invoice))] : [];
  });
}

/**
 * What the account does with a subscription that was not paid until the last day. Only of one that is not
 * paid the end may come.
 */
export async function exhaustedOf(
  { billingSettings }: { readonly billingSettings: BillingSettingsReader },
  { accountId, status }: Subscription,
): Promise<Exhausted> {
  if (status !== 'past_due') return 'cancel';
  return (await billingSettings.find(accountId))?.afterLastAttempt ?? 'cancel';
}
