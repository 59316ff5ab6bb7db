import type { ChargeReader } from '../../payments/charges/charge-repository.ts';
import type { BillingSettingsReader } from '../billing-settings/billing-settings-repository.ts';
import {
  abandoned,
  type DraftInvoice,
  type Invoice,
  markedUncollectible,
  type PayableInvoice,
} from '../invoices/invoice.ts';
import type { InvoiceFilter, InvoiceReader } from '../invoices/invoice-repository.ts';
import { type InvoiceWrite, invoiceUpdate } from '../invoices/invoice-storage.ts';
import { isLiveCharge } from '../invoices/live-charge.ts';
import type { Exhausted } from './collect-subscription.ts';
import type { Subscription } from './subscription.ts';

interface Rows {
  readonly invoices: Pick<InvoiceReader, 'list'>;
  readonly charges: Pick<ChargeReader, 'findMany'>;
}

/** As many are read in one query. */
const PAGE = 100;

/** An invoice of a subscription that is open, or uncollectible and may still be paid by its charge. */
export interface OpenInvoice {
  readonly invoice: PayableInvoice;
  /** Its charge may still bring in money. */
  readonly isCharging: boolean;
}

/**
 * All open invoices of a subscription, the oldest first, then those that are uncollectible and are being charged. The
 * caller has locked the subscription.
 */
export async function openInvoicesOf(
  rows: Rows,
  subscription: Pick<Subscription, 'accountId' | 'environment' | 'id'>,
): Promise<readonly OpenInvoice[]> {
  const open = await withCharges(rows, await invoicesOf(rows, subscription, { status: 'open' }));
  return [...open, ...(await chargedUncollectible(rows, subscription))];
}

/** The uncollectible invoices of a subscription that are being charged, as a customer asked. */
export async function chargedUncollectible(
  rows: Rows,
  subscription: Pick<Subscription, 'accountId' | 'environment' | 'id'>,
): Promise<readonly OpenInvoice[]> {
  const tried = { status: 'uncollectible', isTried: true } as const;
  const found = await withCharges(rows, await invoicesOf(rows, subscription, tried));
  return found.filter(({ isCharging }) => isCharging);
}

/** The invoices of a subscription, the oldest first. */
export async function invoicesOf(
  { invoices }: Pick<Rows, 'invoices'>,
  { accountId, environment, id }: Pick<Subscription, 'accountId' | 'environment' | 'id'>,
  which: Pick<InvoiceFilter, 'status' | 'isTried'>,
): Promise<readonly Invoice[]> {
  const found: Invoice[] = [];
  for (let isMore = true; isMore; ) {
    const last = found.at(-1);
    const page = { limit: PAGE, ...(last && { startingAfter: last.id }) };
    const filter = { subscriptionId: id, ...which };
    const { data, hasMore } = await invoices.list({ accountId, environment }, filter, page);
    found.push(...data);
    isMore = hasMore;
  }
  return found.toReversed();
}

/** What a decision made of a subscription. */
interface Outcome {
  readonly before: Pick<Subscription, 'status'>;
  readonly after: Pick<Subscription, 'status'>;
  readonly at: Date;
}

/** All drafts of a subscription, which a pause has left. The caller has locked the subscription. */
export async function draftsOf(
  rows: Pick<Rows, 'invoices'>,
  subscription: Pick<Subscription, 'accountId' | 'environment' | 'id'>,
): Promise<readonly DraftInvoice[]> {
  const found = await invoicesOf(rows, subscription, { status: 'draft' });
  return found.flatMap((each) => (each.status === 'draft' ? [each] : []));
}

/** Drafts of a subscription that ends because it was not paid: a worker deletes them, and what they took waits. */
export function givenUpDrafts(
  drafts: readonly DraftInvoice[],
  { before, after, at }: Outcome,
): readonly InvoiceWrite[] {
  if (!isGivenUp(before, after) || after.status !== 'canceled') return [];
  return drafts.map((draft) => invoiceUpdate(draft, { ...draft, nextActionAt: at }));
}

/** Whether it may be paid. */
export function isPayable(invoice: Invoice): invoice is PayableInvoice {
  return invoice.status === 'open' || invoice.status === 'uncollectible';
}

async function withCharges(
  { charges }: Pick<Rows, 'charges'>,
  listed: readonly Invoice[],
): Promise<readonly OpenInvoice[]> {
  const found = listed.filter(isPayable);
  const [first] = found;
  const ids = found.flatMap(({ chargeId }) => chargeId ?? []);
  const known = first === undefined || ids.length === 0 ? [] : await charges.findMany(first, ids);
  const live = new Set(known.filter(isLiveCharge).map(({ id }) => id));
  return found.map((invoice) => {
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
  { before, after, at }: Outcome,
): readonly InvoiceWrite[] {
  if (!isGivenUp(before, after)) return [];
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
