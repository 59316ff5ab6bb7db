import type { SubscriptionItemId } from '../../kernel/basics/id.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { type Charge, isFullyRefunded } from '../../payments/charges/charge.ts';
import { isDebited } from '../../payments/disputes/dispute.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { liveChargeOf } from '../invoices/live-charge.ts';
import type { LineDraft } from './billing-decision.ts';
import { invoicesOf } from './give-up-invoices.ts';
import type { Subscription } from './subscription.ts';
import type { SubscriptionRepositories } from './subscription-storage.ts';
import { billedBefore, isOfCurrentPeriod, soldBefore, unbilledBy } from './voided-time.ts';

type Rows = Pick<SubscriptionRepositories, 'invoices' | 'charges' | 'disputes'>;

/** Invoices that ask for time, and may or may not be paid. */
const UNPAID = ['open', 'draft', 'uncollectible'] as const;
const PAGE = 100;

type UnpaidInvoice = Extract<Invoice, { status: (typeof UNPAID)[number] | 'paid' }>;

/** Time of an item that an invoice asks for, and nobody has paid, or for which the money is gone again; ISO 8601. */
interface UnpaidTime {
  readonly invoice: UnpaidInvoice;
  readonly itemId: SubscriptionItemId;
  readonly start: string;
  readonly end: string;
}

/**
 * The subscription as if the invoices of its current period that are not paid, or whose money is gone again, were
 * void: what it has billed then was paid, and can be given back.
 */
export async function paidOf(
  rows: Rows & Pick<SubscriptionRepositories, 'prices' | 'products'>,
  subscription: Subscription,
): Promise<Subscription> {
  const unpaid = await unpaidInvoices(rows, subscription);
  // The last change is undone first.
  const newest = unpaid.toSorted((one, other) => other.created.getTime() - one.created.getTime());
  let paid = subscription;
  for (const invoice of newest) {
    const before = billedBefore(paid, invoice, await soldBefore(rows, invoice));
    paid = { ...paid, ...unbilledBy(paid, before) };
  }
  return paid;
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
  if (unpaid === undefined) return;
  const { invoice } = unpaid;
  const charge = invoice.status === 'paid' ? undefined : await liveChargeOf(rows, invoice);
  throw unpaidTimeError(subscription.id, { invoice, charge }, param);
}

/** Where a caller asks for credits, and the value that asks for none. */
export type CreditParam = keyof typeof WITHOUT_CREDITS;
const WITHOUT_CREDITS = {
  proration_behavior: 'proration_behavior=none',
  prorate: 'prorate=false',
} as const;

function unpaidTimeError(
  id: Subscription['id'],
  {
    invoice: { id: invoiceId, status },
    charge,
  }: Pick<UnpaidTime, 'invoice'> & { readonly charge: Charge | undefined },
  param: CreditParam,
): PaymountError {
  const without = `send ${WITHOUT_CREDITS[param]}.`;
  const asked = `Invoice ${invoiceId} of subscription ${id} asks for that time`;
  if (charge !== undefined) {
    // Until its outcome is known, the invoice can be neither paid nor voided.
    const message = `${asked}, and its charge ${charge.id} is ${charge.status}. Try again when the outcome is known, or ${without}`;
    return new PaymountError('subscription_unpaid', message, { param });
  }
  const message = {
    open: `${asked} and is open. Pay it, void it, or ${without}`,
    uncollectible: `${asked} and is uncollectible. Pay it, void it, or ${without}`,
    draft: `${asked} and is a draft. Finalize it and have it paid, or ${without}`,
    paid: `${asked}, and what was paid for it was refunded or charged back. Instead, ${without}`,
  }[status];
  return new PaymountError('subscription_unpaid', message, { param });
}

async function unpaidTimes(rows: Rows, subscription: Subscription): Promise<readonly UnpaidTime[]> {
  const current = subscription.period.start.toISOString();
  return (await unpaidInvoices(rows, subscription)).flatMap((invoice) =>
    invoice.lines.flatMap(({ subscriptionItemId: itemId, period }) =>
      itemId === null || period.end <= current ? [] : [{ invoice, itemId, ...period }],
    ),
  );
}

/** Those of the current period. */
async function unpaidInvoices(
  rows: Rows,
  subscription: Subscription,
): Promise<readonly UnpaidInvoice[]> {
  const unpaid: UnpaidInvoice[] = [...(await takenBack(rows, subscription))];
  for (const status of UNPAID) {
    const found = await invoicesOf(rows, subscription, { status });
    unpaid.push(...found.toReversed().filter((each) => isUnpaid(each, subscription)));
  }
  return unpaid;
}

function isUnpaid(invoice: Invoice, subscription: Subscription): invoice is UnpaidInvoice {
  return UNPAID.some((each) => each === invoice.status) && isOfCurrentPeriod(subscription, invoice);
}

/** The paid ones of the current period whose charge was refunded in full, or whose money a chargeback took. */
async function takenBack(
  { invoices, charges, disputes }: Rows,
  subscription: Subscription,
): Promise<readonly UnpaidInvoice[]> {
  const { accountId, environment, id: subscriptionId } = subscription;
  const owner = { accountId, environment };
  const { data } = await invoices.list(owner, { subscriptionId, status: 'paid' }, { limit: PAGE });
  const paid = data.filter((invoice) => isOfCurrentPeriod(subscription, invoice));
  const ids = paid.flatMap(({ chargeId }) => chargeId ?? []);
  if (ids.length === 0) return [];
  const found = await charges.findMany(owner, ids);
  const named = found.flatMap(({ dispute }) => (dispute?.isChargeback ? [dispute.id] : []));
  const disputed = named.length === 0 ? [] : await disputes.findMany(owner, named);
  const debited = new Set(disputed.filter(isDebited).map(({ id }) => id));
  const gone = new Set(
    found
      .filter(
        (charge) => isFullyRefunded(charge) || (charge.dispute && debited.has(charge.dispute.id)),
      )
      .map(({ id }) => id),
  );
  return paid.filter(
    (invoice): invoice is UnpaidInvoice => invoice.chargeId !== null && gone.has(invoice.chargeId),
  );
}
