import type { z } from 'zod';
import { KeyResource } from '../access/keys/key-resource.ts';
import { EventResource } from '../changes/events/event-resource.ts';
import { DeliveryResource } from '../events/deliveries/delivery-resource.ts';
import { EndpointResource } from '../events/endpoints/endpoint-resource.ts';
import { BalanceResource, BalanceTransactionResource } from '../ledger/balance-resource.ts';
import { ChargeResource } from '../payments/charges/charge-resource.ts';
import { DisputeResource } from '../payments/disputes/dispute-resource.ts';
import {
  PaymentMethodResource,
  TokenResource,
} from '../payments/payment-methods/payment-method-resource.ts';
import { PayoutResource } from '../payments/payouts/payout-resource.ts';
import { RefundResource } from '../payments/refunds/refund-resource.ts';
import { SubscriptionResource } from '../payments/subscriptions/subscription-resource.ts';
import { isFields, mapFields, type Rewrite, unixTimesIn } from './unix-times.ts';

/** Every resource that the merchants' API or its events show, by its `object`. */
const SCHEMAS = {
  api_key: KeyResource,
  balance: BalanceResource,
  balance_transaction: BalanceTransactionResource,
  charge: ChargeResource,
  delivery: DeliveryResource,
  dispute: DisputeResource,
  event: EventResource,
  payment_method: PaymentMethodResource,
  payout: PayoutResource,
  refund: RefundResource,
  subscription: SubscriptionResource,
  token: TokenResource,
  webhook_endpoint: EndpointResource,
} as const satisfies Record<string, z.ZodObject>;

const REWRITES: ReadonlyMap<unknown, Rewrite> = new Map(
  Object.entries(SCHEMAS).map(([object, schema]) => [object, unixTimesIn(schema)]),
);

/**
 * An answer or an event in the form that Stripe's typed SDKs read: times are Unix seconds, and
 * events have the version that the reader asked for. Everything else stays unchanged.
 * @param body the JSON text of a resource, of a list of them, or of an error
 * @param version of Stripe's API, for `api_version`. @defaultValue the events' own
 */
export function inStripeForm(body: string, version?: string): string {
  const value: unknown = JSON.parse(body);
  const shown = toStripeForm(value, version);
  return shown === value ? body : JSON.stringify(shown);
}

function toStripeForm(value: unknown, version: string | undefined): unknown {
  if (!isFields(value)) return value;
  const inner = (each: unknown): unknown => toStripeForm(each, version);
  const { object } = value;
  if (object === 'list') {
    return mapFields(value, (_, member) => (Array.isArray(member) ? member.map(inner) : member));
  }
  const shown = REWRITES.get(object)?.(value, inner) ?? value;
  if (object !== 'event' || version === undefined || !isFields(shown)) return shown;
  return mapFields(shown, (name, member) => (name === 'api_version' ? version : member));
}
