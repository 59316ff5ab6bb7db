import type { SubscriptionJson } from '../../billing/subscriptions/subscription-resource.ts';
import { livemode } from '../../kernel/basics/environment.ts';
import { newId } from '../../kernel/basics/id.ts';
import type { CatalogueOf } from './catalogue-entry.ts';
import { days, type FixtureFacts } from './fixture.ts';

/** All weeks have the same length, so that every period is complete on any day. */
const PERIOD_DAYS = 7;

/** The events of subscriptions; each fixture is a weekly subscription in the state that it has at its event. */
export const SUBSCRIPTION_EVENTS: CatalogueOf<'subscription', SubscriptionJson> = {
  'subscription.created': {
    meaning: 'A subscription started',
    fixture: (facts) => subscription(facts, { index: 0, day: 0 }),
  },
  'subscription.renewed': {
    meaning: 'A billing period renewed successfully',
    fixture: (facts) => subscription(facts, { index: 1, day: 0 }),
  },
  'subscription.payment_failed': {
    meaning: 'A renewal charge failed and dunning has begun',
    fixture: (facts) => ({
      ...subscription(facts, { index: 1, day: 0 }),
      status: 'past_due',
      dunning: {
        attempt: 1,
        max_attempts: 5,
        next_attempt_at: days(facts.at, 1).toISOString(),
        last_failure_code: 'insufficient_funds',
      },
    }),
  },
  'subscription.recovered': {
    meaning: 'A retry succeeded after an earlier failure',
    fixture: (facts) => subscription(facts, { index: 1, day: 1 }),
  },
  'subscription.canceled': {
    meaning: 'The subscription ended, by request or after dunning gave up',
    fixture: (facts) => ({
      ...subscription(facts, { index: 0, day: 3 }),
      status: 'canceled',
      canceled_at: facts.at.toISOString(),
      ended_at: facts.at.toISOString(),
      cancellation_details: { reason: 'cancellation_requested', comment: null, feedback: null },
    }),
  },
};

/** @param reached the period in which the event happens, from 0, and the days since its start */
function subscription(
  facts: FixtureFacts,
  reached: { readonly index: number; readonly day: number },
): SubscriptionJson {
  const start = days(facts.at, -reached.day);
  const anchor = days(start, -PERIOD_DAYS * reached.index);
  const created = anchor.toISOString();
  const period = {
    current_period_start: start.toISOString(),
    current_period_end: days(start, PERIOD_DAYS).toISOString(),
  };
  const id = newId('sub');
  return {
    id,
    object: 'subscription',
    livemode: livemode(facts.owner.environment),
    created,
    metadata: {},
    customer: newId('cus'),
    status: 'active',
    items: {
      object: 'list',
      url: `/v1/subscription_items?subscription=${id}`,
      has_more: false,
      data: [{ ...item(facts, created), subscription: id, ...period }],
    },
    currency: facts.currency,
    collection_method: 'charge_automatically',
    days_until_due: null,
    default_payment_method: newId('pm'),
    description: null,
    start_date: created,
    billing_cycle_anchor: created,
    ...period,
    billing_timezone: 'UTC',
    period_index: reached.index,
    trial_start: null,
    trial_end: null,
    cancel_at: null,
    canceled_at: null,
    ended_at: null,
    cancel_at_period_end: false,
    trial_settings: { end_behavior: { missing_payment_method: 'create_invoice' } },
    cancellation_details: { reason: null, comment: null, feedback: null },
    pause_collection: null,
    pending_update: null,
    latest_invoice: newId('in'),
    dunning: null,
    test_clock: null,
  };
}

type Item = SubscriptionJson['items']['data'][number];

function item(
  { owner, amount, currency }: FixtureFacts,
  created: string,
): Omit<Item, 'subscription' | 'current_period_start' | 'current_period_end'> {
  const stored = { livemode: livemode(owner.environment), created, metadata: {} };
  return {
    id: newId('si'),
    object: 'subscription_item',
    ...stored,
    price: {
      id: newId('price'),
      object: 'price',
      ...stored,
      product: newId('prod'),
      active: true,
      currency,
      unit_amount: amount,
      type: 'recurring',
      recurring: { interval: 'week', interval_count: 1, trial_period_days: null },
      lookup_key: null,
      nickname: null,
    },
    quantity: 1,
  };
}
