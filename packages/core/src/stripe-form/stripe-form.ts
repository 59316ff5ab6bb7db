import type { z } from 'zod';
import { KeyResource } from '../access/keys/key-resource.ts';
import { CustomerBalanceTransactionResource } from '../billing/balance/balance-resource.ts';
import { InvoiceItemResource } from '../billing/invoices/invoice-item-resource.ts';
import { InvoiceLineResource, InvoiceResource } from '../billing/invoices/invoice-resource.ts';
import { PriceResource } from '../billing/prices/price-resource.ts';
import { ProductResource } from '../billing/prices/product-resource.ts';
import { SubscriptionItemResource } from '../billing/subscriptions/subscription-resource.ts';
import { EventResource } from '../changes/events/event-resource.ts';
import { EVENT_FAMILIES } from '../events/catalogue/event-catalogue.ts';
import {
  DeliveryAttemptResource,
  DeliveryResource,
} from '../events/deliveries/delivery-resource.ts';
import { DeliverySummaryResource } from '../events/deliveries/delivery-summary-resource.ts';
import { EndpointResource } from '../events/endpoints/endpoint-resource.ts';
import { ReplayResource } from '../events/replays/replay-resource.ts';
import { BalanceResource, BalanceTransactionResource } from '../ledger/balance-resource.ts';
import { ConnectedApplicationResource } from '../oauth/grants/connected-application.ts';
import { LiveBankAccountResource } from '../payments/bank-accounts/bank-account-resource.ts';
import { LiveCustomerResource } from '../payments/customers/customer-resource.ts';
import { FileResource } from '../payments/files/file-resource.ts';
import {
  PaymentMethodResource,
  TokenResource,
} from '../payments/payment-methods/payment-method-resource.ts';
import { OwnAccountResource } from '../payments/payouts/payout-account-resource.ts';
import { RefundResource } from '../payments/refunds/refund-resource.ts';
import { TestClockResource } from '../payments/test-clocks/test-clock-resource.ts';
import { isFields, mapFields, type Rewrite, unixTimesIn } from './unix-times.ts';

/** The resources that only responses show, by their `object`. */
const RESOURCES: Readonly<Record<string, z.ZodObject>> = {
  account: OwnAccountResource,
  api_key: KeyResource,
  balance: BalanceResource,
  balance_transaction: BalanceTransactionResource,
  bank_account: LiveBankAccountResource,
  customer: LiveCustomerResource,
  connected_application: ConnectedApplicationResource,
  delivery: DeliveryResource,
  delivery_attempt: DeliveryAttemptResource,
  delivery_summary: DeliverySummaryResource,
  customer_balance_transaction: CustomerBalanceTransactionResource,
  event: EventResource,
  file: FileResource,
  invoice: InvoiceResource,
  invoiceitem: InvoiceItemResource,
  line_item: InvoiceLineResource,
  payment_method: PaymentMethodResource,
  price: PriceResource,
  product: ProductResource,
  refund: RefundResource,
  subscription_item: SubscriptionItemResource,
  'test_helpers.test_clock': TestClockResource,
  replay: ReplayResource,
  token: TokenResource,
  webhook_endpoint: EndpointResource,
};
/** The resources that events show too; the name of a family is the `object` of its resource. */
const EVENT_RESOURCES = Object.entries(EVENT_FAMILIES).map(
  ([object, { schema }]): [string, z.ZodObject] => [object, schema],
);

const REWRITES: ReadonlyMap<unknown, Rewrite> = new Map(
  [...Object.entries(RESOURCES), ...EVENT_RESOURCES].map(([object, schema]) => [
    object,
    unixTimesIn(schema),
  ]),
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
