// The /v1 API: bodies, parameters, pages, idempotency, errors, the OpenAPI document; and the same
// machinery for other APIs of the service, such as the management API. It uses services and schemas
// of core and the guard's decision. It uses no SQL, no processors, and of Express only what
// `host-request.ts` reads: it works on Node's request and response. Start at `serve.ts` (one
// request through steps 2 to 8), then `charges/charge-routes.ts`.
export type { Api, ApiPorts, MountedTarget } from './api.ts';
export { apiRoutes, createApi, isPublishable, withApiPage } from './api.ts';
export type { ByteHolder, BytesInFlightLimits, HeldBytes } from './body/bytes-in-flight.ts';
export { BytesInFlight } from './body/bytes-in-flight.ts';
export { ChargeListQuery, listCharges } from './charges/charge-routes.ts';
export {
  CustomerBalanceListQuery,
  listBalanceTransactions,
} from './customers/customer-balance-routes.ts';
export { CustomerListQuery, listCustomers } from './customers/customer-routes.ts';
export { DELIVERY_FILTERS, toDeliveryFilter } from './deliveries/delivery-query.ts';
export { toShownLog } from './deliveries/shown-log.ts';
export { SUMMARY_PARAMETERS, toAskedCounts } from './deliveries/summary-query.ts';
export { DisputeListQuery, listDisputes } from './disputes/dispute-routes.ts';
export type { FormSelector } from './doc-url.ts';
export { createFormSelector, docForm } from './doc-url.ts';
export { listEndpoints } from './endpoints/endpoint-routes.ts';
export { eventSchema, storedEventSchema } from './events/event-schema.ts';
export { assertNoForbiddenTexts } from './forbidden-texts.ts';
export { appTrustsProxies, hostErrorBody, originalTarget } from './host-request.ts';
export { Html, html, when } from './html.ts';
export type { IdempotencyPorts, KeyedRequest } from './idempotent.ts';
export { Idempotent, readIdempotencyKey, validateIdempotencyKey } from './idempotent.ts';
export {
  InvoiceItemListQuery,
  listInvoiceItems,
} from './invoices/invoice-item-routes.ts';
export {
  InvoiceListQuery,
  listInvoiceLines,
  listInvoices,
} from './invoices/invoice-routes.ts';
export type { ListJson } from './lists.ts';
export {
  CreatedInput,
  idFilter,
  idIn,
  ListQuery,
  listSchema,
  toListResource,
  toPageRequest,
} from './lists.ts';
export { apiDocument } from './openapi/api-document.ts';
export { documentText } from './openapi/document-text.ts';
export type { Document } from './openapi/schema.ts';
export { toOpenApi } from './openapi/to-openapi.ts';
export { readOrigin } from './origin.ts';
export { logoSource, type PageColors, toPageColors } from './page-looks.ts';
export {
  listPaymentMethods,
  PaymentMethodListQuery,
} from './payment-methods/payment-method-routes.ts';
export { listPayouts, PayoutListQuery } from './payouts/payout-routes.ts';
export { listPrices, PriceListQuery } from './prices/price-routes.ts';
export { listProducts, ProductListQuery } from './prices/product-routes.ts';
export { hasBody } from './read-body.ts';
export type { IncomingRequest } from './read-input.ts';
export { readWithBody, readWithoutBody } from './read-input.ts';
export { listRefunds, RefundListQuery } from './refunds/refund-routes.ts';
export { asPaymountError, connectionHeaders, renderError } from './render-error.ts';
export { LARGE_ANSWER_BYTES, MAX_ANSWER_BYTES, renderJson } from './render-json.ts';
export type { ResponseOptions as SentWith, RouteResponse } from './render-response.ts';
export { Lines, PlainText, sendLines, sendResponse } from './render-response.ts';
export {
  assertEventsChosen,
  REPLAY_FILTERS,
  ReplayBody,
  toReplayFilter,
} from './replays/replay-query.ts';
export { filledPath } from './routing/path-values.ts';
export type { Route } from './routing/route.ts';
export type { Match } from './routing/route-index.ts';
export { RouteIndex } from './routing/route-index.ts';
export type { RouteTable, TableRoute } from './routing/route-table.ts';
export { Nothing, routeTables } from './routing/route-table.ts';
export { parseInput, validateInput } from './routing/validate-input.ts';
export type { RequestContext } from './serve.ts';
export type { Services } from './services.ts';
export { mapInSlices } from './slices.ts';
export { EventStream } from './streams/event-stream.ts';
export { sendStream } from './streams/send-stream.ts';
export type { WriteForm } from './stripe-form.ts';
export {
  listSubscriptionItems,
  SubscriptionItemListQuery,
} from './subscriptions/subscription-item-routes.ts';
export {
  listSubscriptions,
  SubscriptionListQuery,
} from './subscriptions/subscription-routes.ts';
