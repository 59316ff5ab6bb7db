import { type InvoiceId, newId } from '../../kernel/basics/id.ts';
import { ownerOf } from '../../kernel/callers/call.ts';
import { makerOf } from '../../kernel/callers/maker.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { findLiveCustomer } from '../../payments/customers/live-customer.ts';
import { assertSteady, clockField, timeOf } from '../../payments/test-clocks/object-clock.ts';
import type { PriceWrite } from '../prices/price-storage.ts';
import { then } from './bill-decision.ts';
import type { BillingDecision } from './billing-decision.ts';
import { scheduleCancellation } from './cancel-subscription.ts';
import { createSubscription } from './create-subscription.ts';
import { findItems } from './find-items.ts';
import { findSubscriptionMethod } from './find-subscription-method.ts';
import { mergeItems } from './merge-items.ts';
import { wholeSecond } from './subscription.ts';
import type { SubscriptionCreate } from './subscription-input.ts';
import { BLANK_SETTINGS, mergeSettings, trialEndOf } from './subscription-parameters.ts';
import type { SubscriptionRepositories } from './subscription-storage.ts';

/** Of one customer, that are not over. */
const MAX_SUBSCRIPTIONS = 500;

/** A decision, and the prices that are made with it. */
export interface DecidedItems {
  readonly decision: BillingDecision;
  readonly prices: readonly PriceWrite[];
}

/**
 * Decides how a new subscription begins.
 * @throws PaymountError `resource_missing`, `subscription_limit_reached`, `payment_method_unattached`,
 *   `test_clock_advancing`, and as `mergeItems`, `mergeSettings` and `createSubscription` list
 */
export async function decideCreation(
  rows: SubscriptionRepositories,
  call: Call,
  {
    input,
    at,
    invoiceId,
  }: {
    readonly input: SubscriptionCreate;
    readonly at: Date;
    readonly invoiceId: InvoiceId;
  },
): Promise<DecidedItems> {
  const owner = ownerOf(call);
  const customer = await findLiveCustomer(rows, owner, input.customer, 'customer');
  assertSteady(customer);
  const now = wholeSecond(timeOf(customer, at));
  const found = await findItems(rows, owner, { items: input.items, at: now });
  // Counted under its lock, so that others who create at the same time are counted too.
  await rows.customers.findForUpdate(owner, customer.id);
  if ((await rows.subscriptions.countLive(owner, customer.id)) >= MAX_SUBSCRIPTIONS) {
    throw new PaymountError('subscription_limit_reached', undefined, { param: 'customer' });
  }
  const items = mergeItems(undefined, found.entries, now);
  const timezone = input.billing_timezone ?? 'UTC';
  const { cancel_at: cancelAt, billing_cycle_anchor: anchor, ...rest } = input;
  const method = await findSubscriptionMethod(rows, { ...owner, customerId: customer.id }, rest);
  const { pauseCollection: _, ...settings } = mergeSettings(BLANK_SETTINGS, rest, {
    methodId: method ?? null,
    now,
  });
  const days = found.entries.flatMap(({ price }) => price?.recurring?.trialPeriodDays ?? []);
  const priceDays = days.length === 0 ? null : Math.max(...days);
  const prorationBehavior = input.proration_behavior ?? 'create_prorations';
  const times = { at: now, invoiceId };
  const first = createSubscription(
    {
      ...owner,
      ...clockField(customer),
      ...settings,
      ...items,
      id: newId('sub'),
      customerId: customer.id,
      timezone,
      trialEnd: trialEndOf(input, { priceDays, timezone, now }),
      anchor: anchor ?? null,
      backdatedTo: input.backdate_start_date ?? null,
      prorationBehavior,
      cancelAt: cancelAt instanceof Date ? cancelAt : null,
      cancelAtPeriodEnd: input.cancel_at_period_end ?? false,
      createdBy: makerOf(call),
    },
    times,
  );
  const isWord = cancelAt === 'min_period_end' || cancelAt === 'max_period_end';
  if (!isWord) return { decision: first, prices: found.writes };
  const end = { cancelAt: first.subscription.period.end, prorationBehavior };
  const ending = scheduleCancellation(first.subscription, end, times);
  return { decision: then(first, ending), prices: found.writes };
}
