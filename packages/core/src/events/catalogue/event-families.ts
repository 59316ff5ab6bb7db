import { ChargeResource } from '../../payments/charges/charge-resource.ts';
import { DisputeResource } from '../../payments/disputes/dispute-resource.ts';
import { PayoutResource } from '../../payments/payouts/payout-resource.ts';
import { SubscriptionResource } from '../../payments/subscriptions/subscription-resource.ts';

/** What the events of each family are about: the name of the resource, and its schema. */
export const EVENT_FAMILIES = {
  charge: { name: 'Charge', schema: ChargeResource },
  subscription: { name: 'Subscription', schema: SubscriptionResource },
  dispute: { name: 'Dispute', schema: DisputeResource },
  payout: { name: 'Payout', schema: PayoutResource },
} as const;

export type EventFamily = keyof typeof EVENT_FAMILIES;
