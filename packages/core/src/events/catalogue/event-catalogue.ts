import type { z } from 'zod';
import { SubscriptionResource } from '../../billing/subscriptions/subscription-resource.ts';
import { SUBSCRIPTION_TRANSITIONS } from '../../billing/subscriptions/subscription-states.ts';
import type { EventFamily, EventType } from '../../changes/events/event-types.ts';
import { ChargeResource } from '../../payments/charges/charge-resource.ts';
import { CHARGE_TRANSITIONS } from '../../payments/charges/charge-states.ts';
import { DisputeResource } from '../../payments/disputes/dispute-resource.ts';
import { DISPUTE_TRANSITIONS } from '../../payments/disputes/dispute-states.ts';
import { PayoutResource } from '../../payments/payouts/payout-resource.ts';
import { PAYOUT_TRANSITIONS } from '../../payments/payouts/payout-states.ts';
import { REFUND_TRANSITIONS } from '../../payments/refunds/refund-states.ts';
import type { CatalogueEntry } from './catalogue-entry.ts';
import { CHARGE_EVENTS } from './charge-events.ts';
import { DISPUTE_EVENTS } from './dispute-events.ts';
import { PAYOUT_EVENTS } from './payout-events.ts';
import { SUBSCRIPTION_EVENTS } from './subscription-events.ts';

/** The resource in `data.object` of the events of each family: its name, and its schema. */
export const EVENT_FAMILIES = {
  charge: { name: 'Charge', schema: ChargeResource },
  subscription: { name: 'Subscription', schema: SubscriptionResource },
  dispute: { name: 'Dispute', schema: DisputeResource },
  payout: { name: 'Payout', schema: PayoutResource },
} as const satisfies Readonly<Record<EventFamily, { name: string; schema: z.ZodObject }>>;

/**
 * The meaning and an example of each type of event. Triggers, the reference and the types of
 * receivers read it; a type without a row does not compile.
 */
export const EVENT_CATALOGUE: Readonly<Record<EventType, CatalogueEntry>> = {
  ...CHARGE_EVENTS,
  ...SUBSCRIPTION_EVENTS,
  ...DISPUTE_EVENTS,
  ...PAYOUT_EVENTS,
};

/** The tables of transitions, by the resource. */
const STATE_TABLES = {
  charges: CHARGE_TRANSITIONS,
  refunds: REFUND_TRANSITIONS,
  disputes: DISPUTE_TRANSITIONS,
  payouts: PAYOUT_TRANSITIONS,
  subscriptions: SUBSCRIPTION_TRANSITIONS,
};

/** The transitions that record an event of this type: `charges.capture`; none if it is not recorded yet. */
export function transitionsThatRecord(type: EventType): readonly string[] {
  return Object.entries(STATE_TABLES).flatMap(([resource, transitions]) =>
    Object.entries(transitions)
      .filter(([, { event }]) => event === type)
      .map(([trigger]) => `${resource}.${trigger}`),
  );
}
