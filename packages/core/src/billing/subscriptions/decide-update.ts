import type { InvoiceId } from '../../kernel/basics/id.ts';
import { timeOf } from '../../payments/test-clocks/object-clock.ts';
import { then } from './bill-decision.ts';
import { edited } from './billing-decision.ts';
import { scheduleCancellation } from './cancel-subscription.ts';
import { changeSubscription } from './change-subscription.ts';
import { retriedNow } from './collect-subscription.ts';
import type { DecidedItems } from './decide-creation.ts';
import { findItems } from './find-items.ts';
import { findSubscriptionMethod } from './find-subscription-method.ts';
import { mergeItems } from './merge-items.ts';
import { type Subscription, wholeSecond } from './subscription.ts';
import type { SubscriptionUpdate } from './subscription-input.ts';
import { unmoved } from './subscription-owner.ts';
import { mergeSettings, toChange, toDetails, toScheduledEnd } from './subscription-parameters.ts';
import { assertLive } from './subscription-rules.ts';
import type { SubscriptionRepositories } from './subscription-storage.ts';
import { assertCreditsPaid } from './unpaid-time.ts';

/**
 * Decides what a request changes of a subscription, which is locked: its settings, its end, its items.
 * @throws PaymountError `resource_missing`, `payment_method_unattached`, and as `mergeItems`,
 *   `mergeSettings`, `scheduleCancellation`, `changeSubscription` and `assertCreditsPaid` list
 */
export async function decideUpdate(
  rows: SubscriptionRepositories,
  before: Subscription,
  {
    input,
    at,
    invoiceId,
  }: {
    readonly input: SubscriptionUpdate;
    readonly at: Date;
    readonly invoiceId: InvoiceId;
  },
): Promise<DecidedItems> {
  const { accountId, environment } = before;
  const owner = { accountId, environment };
  const now = wholeSecond(timeOf(before, at));
  const times = { at: now, invoiceId };
  const set = await withSettings(rows, before, { input, now });
  if (before.pauseCollection !== null && set.pauseCollection === null) {
    await rows.invoices.releaseDrafts(owner, before.id, now);
  }
  const found = await findItems(rows, owner, { items: input.items ?? [], at: now });
  const items = input.items && mergeItems(before, found.entries, now);
  let decision = unmoved(set);
  const end = toScheduledEnd(input, set.period);
  if (end !== null) decision = then(decision, scheduleCancellation(set, end, times));
  const change = toChange(input, items);
  const { prorationBehavior: _, prorationDate: __, ...asked } = change;
  if (Object.keys(asked).length > 0) {
    decision = then(decision, changeSubscription(decision.subscription, change, times));
  }
  await assertCreditsPaid(rows, before, { lines: decision.lines, param: 'proration_behavior' });
  return { decision, prices: found.writes };
}

/** The subscription with other settings. A new payment method is tried at once if an invoice is not paid. */
async function withSettings(
  rows: SubscriptionRepositories,
  before: Subscription,
  { input, now }: { readonly input: SubscriptionUpdate; readonly now: Date },
): Promise<Subscription> {
  const { metadata: _, cancellation_details: details, ...others } = input;
  if (Object.values(others).some((value) => value !== undefined)) assertLive(before);
  const methodId = await findSubscriptionMethod(rows, before, input);
  const settings = mergeSettings(before, input, {
    ...(methodId !== undefined && { methodId }),
    now,
  });
  const cancellation = { ...before.cancellation, ...toDetails(details) };
  const next = edited(before, { ...settings, cancellation });
  const isOther = methodId !== undefined && methodId !== before.defaultPaymentMethodId;
  return isOther ? retriedNow(next, now) : next;
}
