import type {
  AccountCreateInput,
  AccountUpdateInput,
  KeyCreateInput,
  KeyRevokeInput,
  KeyRotateInput,
  KeyUpdateInput,
} from '@paymount/core/access';
import type {
  CustomerBalanceTransactionCreateInput,
  CustomerBalanceTransactionUpdateInput,
  InvoiceCreateInput,
  InvoiceFinalizeInput,
  InvoiceItemCreateInput,
  InvoiceItemUpdateInput,
  InvoicePayInput,
  InvoicePreviewInput,
  InvoiceUpdateInput,
  PriceCreateInput,
  PriceUpdateInput,
  ProductCreateInput,
  ProductUpdateInput,
  SubscriptionCancelInput,
  SubscriptionCreateInput,
  SubscriptionItemCreateInput,
  SubscriptionItemDeleteInput,
  SubscriptionItemUpdateInput,
  SubscriptionResumeInput,
  SubscriptionUpdateInput,
} from '@paymount/core/billing';
import type { EventPattern } from '@paymount/core/changes';
import type {
  EndpointCreateInput,
  EndpointRotateSecretInput,
  EndpointUpdateInput,
} from '@paymount/core/events';
import type { Params } from '@paymount/core/kernel';
import type {
  ClientSecretRevokeInput,
  PlatformCreateInput,
  PlatformUpdateInput,
} from '@paymount/core/oauth';
import type {
  ChargeCaptureInput,
  ChargeCreateInput,
  ChargeUpdateInput,
  CustomerCreateInput,
  CustomerUpdateInput,
  DisputeUpdateInput,
  PaymentMethodAttachInput,
  PaymentMethodCreateInput,
  PaymentMethodUpdateInput,
  PayoutCreateInput,
  PayoutUpdateInput,
  RefundCreateInput,
  RefundUpdateInput,
} from '@paymount/core/payments';
import type {
  ChargeListQuery,
  CustomerBalanceListQuery,
  CustomerListQuery,
  DisputeListQuery,
  InvoiceItemListQuery,
  InvoiceListQuery,
  ListQuery,
  PaymentMethodListQuery,
  PayoutListQuery,
  PriceListQuery,
  ProductListQuery,
  RefundListQuery,
  SubscriptionItemListQuery,
  SubscriptionListQuery,
} from '@paymount/http';
import type {
  AccountListQuery,
  KeyListQuery,
  KeyUsageQuery,
  PlatformListQuery,
} from '@paymount/management';

// The parameters of the host's own calls: those of the routes, in snake_case as over HTTP.
export type ChargeCreateParams = Params<typeof ChargeCreateInput>;
export type ChargeUpdateParams = Params<typeof ChargeUpdateInput>;
export type ChargeCaptureParams = Params<typeof ChargeCaptureInput>;
export type ChargeListParams = Params<typeof ChargeListQuery>;
export type RefundCreateParams = Params<typeof RefundCreateInput>;
export type RefundUpdateParams = Params<typeof RefundUpdateInput>;
export type RefundListParams = Params<typeof RefundListQuery>;
export type ProductCreateParams = Params<typeof ProductCreateInput>;
export type ProductUpdateParams = Params<typeof ProductUpdateInput>;
export type ProductListParams = Params<typeof ProductListQuery>;
export type PriceCreateParams = Params<typeof PriceCreateInput>;
export type PriceUpdateParams = Params<typeof PriceUpdateInput>;
export type PriceListParams = Params<typeof PriceListQuery>;
export type InvoiceCreateParams = Params<typeof InvoiceCreateInput>;
export type InvoiceUpdateParams = Params<typeof InvoiceUpdateInput>;
export type InvoiceFinalizeParams = Params<typeof InvoiceFinalizeInput>;
export type InvoicePayParams = Params<typeof InvoicePayInput>;
export type InvoiceListParams = Params<typeof InvoiceListQuery>;
export type InvoiceItemCreateParams = Params<typeof InvoiceItemCreateInput>;
export type InvoiceItemUpdateParams = Params<typeof InvoiceItemUpdateInput>;
export type InvoiceItemListParams = Params<typeof InvoiceItemListQuery>;
export type SubscriptionCreateParams = Params<typeof SubscriptionCreateInput>;
export type SubscriptionUpdateParams = Params<typeof SubscriptionUpdateInput>;
export type SubscriptionCancelParams = Params<typeof SubscriptionCancelInput>;
export type SubscriptionResumeParams = Params<typeof SubscriptionResumeInput>;
export type InvoicePreviewParams = Params<typeof InvoicePreviewInput>;
export type SubscriptionItemCreateParams = Params<typeof SubscriptionItemCreateInput>;
export type SubscriptionItemUpdateParams = Params<typeof SubscriptionItemUpdateInput>;
export type SubscriptionItemDeleteParams = Params<typeof SubscriptionItemDeleteInput>;
export type SubscriptionItemListParams = Params<typeof SubscriptionItemListQuery>;
export type SubscriptionListParams = Params<typeof SubscriptionListQuery>;
export type CustomerCreateParams = Params<typeof CustomerCreateInput>;
export type CustomerUpdateParams = Params<typeof CustomerUpdateInput>;
export type CustomerListParams = Params<typeof CustomerListQuery>;
export type CustomerBalanceTransactionCreateParams = Params<
  typeof CustomerBalanceTransactionCreateInput
>;
export type CustomerBalanceTransactionUpdateParams = Params<
  typeof CustomerBalanceTransactionUpdateInput
>;
export type CustomerBalanceListParams = Params<typeof CustomerBalanceListQuery>;
export type DisputeUpdateParams = Params<typeof DisputeUpdateInput>;
export type DisputeListParams = Params<typeof DisputeListQuery>;
export type PaymentMethodCreateParams = Params<typeof PaymentMethodCreateInput>;
export type PaymentMethodListParams = Params<typeof PaymentMethodListQuery>;
export type PaymentMethodAttachParams = Params<typeof PaymentMethodAttachInput>;
export type PaymentMethodUpdateParams = Params<typeof PaymentMethodUpdateInput>;
export type PayoutCreateParams = Params<typeof PayoutCreateInput>;
export type PayoutUpdateParams = Params<typeof PayoutUpdateInput>;
export type PayoutListParams = Params<typeof PayoutListQuery>;
export type WebhookEndpointCreateParams = Known<Params<typeof EndpointCreateInput>>;
export type WebhookEndpointUpdateParams = Known<Params<typeof EndpointUpdateInput>>;
export type WebhookEndpointRotateSecretParams = Params<typeof EndpointRotateSecretInput>;
export type ListParams = Params<typeof ListQuery>;
export type AccountCreateParams = Params<typeof AccountCreateInput>;
export type AccountUpdateParams = Params<typeof AccountUpdateInput>;
export type AccountListParams = Params<typeof AccountListQuery>;
export type ApiKeyCreateParams = Params<typeof KeyCreateInput>;
export type ApiKeyUpdateParams = Params<typeof KeyUpdateInput>;
export type ApiKeyRotateParams = Params<typeof KeyRotateInput>;
export type ApiKeyRevokeParams = Params<typeof KeyRevokeInput>;
export type ApiKeyListParams = Params<typeof KeyListQuery>;
export type ApiKeyUsageParams = Params<typeof KeyUsageQuery>;
export type PlatformCreateParams = Params<typeof PlatformCreateInput>;
export type PlatformUpdateParams = Params<typeof PlatformUpdateInput>;
export type PlatformListParams = Params<typeof PlatformListQuery>;
export type ClientSecretRevokeParams = Params<typeof ClientSecretRevokeInput>;

/** The schema accepts any text, so that the error can suggest a type. */
type Known<Endpoint extends { readonly enabled_events?: unknown }> = {
  readonly [Name in keyof Endpoint]: Name extends 'enabled_events'
    ? readonly EventPattern[] | Exclude<Endpoint[Name], object>
    : Endpoint[Name];
};
