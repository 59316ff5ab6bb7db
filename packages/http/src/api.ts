import { type Logger, PaymountError } from '@paymount/core/kernel';
import { API_PAGE_PATH, apiPage } from './api-page.ts';
import { chargeRoutes } from './charges/charge-routes.ts';
import { connectedApplicationRoutes } from './connected-applications/connected-application-routes.ts';
import { PREFLIGHT } from './cors.ts';
import { customerBalanceRoutes } from './customers/customer-balance-routes.ts';
import { customerMethodRoutes } from './customers/customer-method-routes.ts';
import { customerRoutes } from './customers/customer-routes.ts';
import { deliveryRoutes } from './deliveries/delivery-routes.ts';
import { disputeRoutes } from './disputes/dispute-routes.ts';
import { endpointRoutes } from './endpoints/endpoint-routes.ts';
import { eventRoutes } from './events/event-routes.ts';
import { streamRoutes } from './events/stream-routes.ts';
import { createExpandables } from './expandables.ts';
import {
  externalAccountRoutes,
  ownAccountRoutes,
} from './external-accounts/external-account-routes.ts';
import { fileRoutes } from './files/file-routes.ts';
import { type IdempotencyPorts, Idempotent } from './idempotent.ts';
import { invoiceActionRoutes } from './invoices/invoice-action-routes.ts';
import { invoiceItemRoutes } from './invoices/invoice-item-routes.ts';
import { invoiceRoutes } from './invoices/invoice-routes.ts';
import { keyRoutes } from './keys/key-routes.ts';
import { balanceRoutes } from './ledger/balance-routes.ts';
import { apiDocument } from './openapi/api-document.ts';
import { documentText } from './openapi/document-text.ts';
import { attachmentRoutes } from './payment-methods/attachment-routes.ts';
import { paymentMethodRoutes } from './payment-methods/payment-method-routes.ts';
import { tokenRoutes } from './payment-methods/token-routes.ts';
import { payoutRoutes } from './payouts/payout-routes.ts';
import { priceRoutes } from './prices/price-routes.ts';
import { productRoutes } from './prices/product-routes.ts';
import { chargeRefundRoutes } from './refunds/charge-refund-routes.ts';
import { refundRoutes } from './refunds/refund-routes.ts';
import type { RouteResponse } from './render-response.ts';
import { replayRoutes } from './replays/replay-routes.ts';
import type { Route } from './routing/route.ts';
import { type Match, RouteIndex } from './routing/route-index.ts';
import { type RequestContext, serve } from './serve.ts';
import type { Services } from './services.ts';
import type { EventStream } from './streams/event-stream.ts';
import { EventStreams } from './streams/event-streams.ts';
import { subscriptionItemRoutes } from './subscriptions/subscription-item-routes.ts';
import { subscriptionRoutes } from './subscriptions/subscription-routes.ts';
import { testClockRoutes } from './test-helpers/test-clock-routes.ts';
import { triggerRoutes } from './test-helpers/trigger-routes.ts';

const DOCUMENT_PATH = '/v1/openapi.json';
/** Paths of the API that are above all routes. */
const ABOVE_ROUTES = /^\/(?:v1\/?)?$/;
const LEADS_ON = `There is no route here. Routes are below /v1/, and ${DOCUMENT_PATH} lists them.`;

export type ApiPorts = Services & IdempotencyPorts & { readonly logger: Pick<Logger, 'error'> };

/** The request's target, and where the API is mounted. */
export interface MountedTarget {
  /** Below the mount. */
  readonly pathname: string;
  /** `/payments`; empty: the root. */
  readonly mount: string;
}

/** The `/v1` API without its mount: finds routes and answers requests. */
export interface Api {
  readonly routes: readonly Route[];
  /** @throws PaymountError `route_missing`, `method_not_allowed` */
  find(method: string, pathname: string): Match<Route>;
  /** Routes without a key: the OpenAPI document, and preflights of browsers that tokenize. */
  respondWithoutKey(method: string, target: MountedTarget): RouteResponse | undefined;
  /** The page of the routes and errors, for mounts that serve it. */
  page(): RouteResponse;
  /** @throws PaymountError for every refusal; any other error is a bug */
  handle(context: RequestContext): Promise<RouteResponse | EventStream>;
  /** Ends every stream, because open streams would keep a server from closing. */
  close(): void;
}

/** Makes the API of one process; all mounts share it. @throws Error for a route without a scope */
export function createApi(ports: ApiPorts): Api {
  const routes = apiRoutes(ports);
  const index = new RouteIndex(routes);
  const idempotent = new Idempotent(ports);
  const streams = new EventStreams(ports.clock);
  let document: ((mount: string) => string) | undefined;
  let page: RouteResponse | undefined;
  return {
    routes,
    find(method, pathname) {
      if (ABOVE_ROUTES.test(pathname)) throw new PaymountError('route_missing', LEADS_ON);
      return index.find(method, pathname);
    },
    respondWithoutKey(method, { pathname, mount }) {
      if (method === 'OPTIONS')
        return isPublishable(index.peek('POST', pathname)) ? PREFLIGHT : undefined;
      if (pathname !== DOCUMENT_PATH || (method !== 'GET' && method !== 'HEAD')) return undefined;
      document ??= documentText(apiDocument(routes));
      return { status: 200, body: document(mount) };
    },
    page: () => {
      page ??= apiPage(routes);
      return page;
    },
    handle: (context) => serve(context, { idempotent, streams, logger: ports.logger }),
    close: () => streams.close(),
  };
}

/** Whether browsers may call the route from pages of any origin. */
export function isPublishable(route: Route | undefined): boolean {
  return route?.method === 'POST' && route.facts.publishable === true;
}

/** The route table: everything below `/v1`, in the order of the reference. */
export function apiRoutes(services: Services): readonly Route[] {
  const expandables = createExpandables(services);
  return [
    ...chargeRoutes(services, expandables.charge),
    ...refundRoutes(services, expandables.refund),
    ...chargeRefundRoutes(services, expandables),
    ...customerRoutes(services, expandables.customer),
    ...customerMethodRoutes(services, expandables.paymentMethod),
    ...customerBalanceRoutes(services, expandables.customerBalance),
    ...paymentMethodRoutes(services, expandables.paymentMethod),
    ...attachmentRoutes(services, expandables.paymentMethod),
    ...tokenRoutes(services),
    ...disputeRoutes(services, expandables.dispute),
    ...fileRoutes(services),
    ...balanceRoutes(services, expandables.balanceTransaction),
    ...payoutRoutes(services, expandables.payout),
    ...ownAccountRoutes(services),
    ...externalAccountRoutes(services),
    ...productRoutes(services),
    ...priceRoutes(services, expandables.price),
    ...subscriptionRoutes(services, expandables.subscription),
    ...subscriptionItemRoutes(services),
    ...invoiceRoutes(services, expandables),
    ...invoiceActionRoutes(services, expandables.invoice),
    ...invoiceItemRoutes(services, expandables.invoiceItem),
    ...endpointRoutes(services),
    ...eventRoutes(services),
    ...streamRoutes(services),
    ...deliveryRoutes(services),
    ...replayRoutes(services),
    ...keyRoutes(services, expandables.key),
    ...connectedApplicationRoutes(services),
    ...testClockRoutes(services),
    ...triggerRoutes(services),
  ];
}

/** The same API for a mount that serves its page, which needs no key. */
export function withApiPage(api: Api): Api {
  return {
    ...api,
    respondWithoutKey(method, target) {
      const isAsked = target.pathname === API_PAGE_PATH && (method === 'GET' || method === 'HEAD');
      return isAsked ? api.page() : api.respondWithoutKey(method, target);
    },
  };
}
