import { CURRENT_API_VERSION } from '@paymount/core/changes';
import {
  type Document,
  documentText,
  type IdempotencyPorts,
  Idempotent,
  type Lines,
  type Match,
  type MountedTarget,
  RouteIndex,
  type RouteResponse,
  toOpenApi,
} from '@paymount/http';
import { accountRoutes } from './accounts/account-routes.ts';
import type { ManagementAccess, ManagementRoute } from './admin-call.ts';
import { auditRoutes } from './audit/audit-routes.ts';
import { billingSettingsRoutes } from './billing/billing-settings-routes.ts';
import { invoiceRoutes } from './billing/invoice-routes.ts';
import { subscriptionRoutes } from './billing/subscription-routes.ts';
import { deliveryRoutes } from './deliveries/delivery-routes.ts';
import { eventRoutes } from './deliveries/event-routes.ts';
import { expungeRoutes } from './deliveries/expunge-routes.ts';
import { replayRoutes } from './deliveries/replay-routes.ts';
import { disputeRoutes } from './disputes/dispute-routes.ts';
import { endpointRoutes } from './endpoints/endpoint-routes.ts';
import { grantRoutes } from './grants/grant-routes.ts';
import { healthRoutes } from './health/health-routes.ts';
import { metricRoutes } from './health/metric-routes.ts';
import { keyRoutes } from './keys/key-routes.ts';
import { leakRoutes } from './leaks/leak-routes.ts';
import { meRoutes } from './me-routes.ts';
import { noticeRoutes } from './notices/notice-routes.ts';
import { operationRoutes } from './operations/operation-routes.ts';
import { adjustmentRoutes } from './payouts/adjustment-routes.ts';
import { bankAccountRoutes } from './payouts/bank-account-routes.ts';
import { payoutSettingsRoutes } from './payouts/payout-settings-routes.ts';
import { settlementRoutes } from './payouts/settlement-routes.ts';
import { platformRoutes } from './platforms/platform-routes.ts';
import { type AdminRequestContext, serve } from './serve.ts';
import type { ManagementServices } from './services.ts';
import { testClockRoutes } from './test-clocks/test-clock-routes.ts';

const DOCUMENT_PATH = '/openapi.json';

export type ManagementPorts = ManagementServices & IdempotencyPorts;
export type AdminApiPorts = IdempotencyPorts;

/** Routes for admins without their mount: finds them and answers requests. */
export interface AdminApi {
  readonly routes: readonly ManagementRoute[];
  /** @throws PaymountError `route_missing`, `method_not_allowed` */
  find(method: string, pathname: string): Match<ManagementRoute>;
  /** @throws PaymountError for every refusal; any other error is a bug */
  handle(context: AdminRequestContext): Promise<RouteResponse | Lines>;
}

/** The management API without its mount. */
export interface Management extends AdminApi {
  /** A route without login: the OpenAPI document. */
  respondWithoutLogin(method: string, target: MountedTarget): RouteResponse | undefined;
}

/** Makes the API of one process. @throws Error for a route without a permission */
export function createManagement(ports: ManagementPorts): Management {
  const routes = managementRoutes(ports);
  let document: ((mount: string) => string) | undefined;
  return {
    ...createAdminApi(routes, ports),
    respondWithoutLogin(method, { pathname, mount }) {
      if (pathname !== DOCUMENT_PATH || (method !== 'GET' && method !== 'HEAD')) return undefined;
      document ??= documentText(managementDocument(routes));
      return { status: 200, body: document(mount) };
    },
  };
}

/** Makes an API of some routes. */
export function createAdminApi(routes: readonly ManagementRoute[], ports: AdminApiPorts): AdminApi {
  const index = new RouteIndex(routes);
  const idempotent = new Idempotent(ports);
  return {
    routes,
    find: (method, pathname) => index.find(method, pathname),
    handle: (context) => serve(context, { idempotent, idempotency: ports.idempotency }),
  };
}

/** The route table, in the order of the reference. */
export function managementRoutes(services: ManagementServices): readonly ManagementRoute[] {
  return [
    ...accountRoutes(services),
    ...keyRoutes(services),
    ...platformRoutes(services),
    ...grantRoutes(services),
    ...endpointRoutes(services),
    ...deliveryRoutes(services),
    ...eventRoutes(services),
    ...replayRoutes(services),
    ...expungeRoutes(services),
    ...operationRoutes(services),
    ...noticeRoutes(services),
    ...payoutSettingsRoutes(services),
    ...bankAccountRoutes(services),
    ...adjustmentRoutes(services),
    ...disputeRoutes(services),
    ...settlementRoutes(services),
    ...subscriptionRoutes(services),
    ...invoiceRoutes(services),
    ...billingSettingsRoutes(services),
    ...testClockRoutes(services),
    ...leakRoutes(services),
    ...auditRoutes(services),
    ...healthRoutes(services),
    ...metricRoutes(services),
    ...meRoutes(),
  ];
}

/** How a session of the host proves that a page of the host sends the request. */
export const SESSION_SCHEME = {
  type: 'apiKey',
  in: 'header',
  name: 'Paymount-Csrf',
  description: 'Required for writes with a session of the host.',
} as const;

/** The OpenAPI 3.1 document of the management API. */
export function managementDocument(routes: readonly ManagementRoute[]): Document {
  return toOpenApi(routes, {
    info: {
      title: 'Paymount management',
      version: CURRENT_API_VERSION,
      description:
        'For admins: by token, by the session of the host, or by client certificate, as the host ' +
        'chose. Paths are relative to the mount.',
    },
    base: '',
    security: ['bearer', 'session', 'certificate'],
    securitySchemes: {
      bearer: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'JWT',
        description: 'An access token of the issuer that the host trusts (RFC 9068).',
      },
      session: SESSION_SCHEME,
      certificate: {
        type: 'mutualTLS',
        description: 'A client certificate whose name the host knows.',
      },
    },
    describeAccess,
  });
}

/** What a route demands of its caller, in sentences. */
export function describeAccess({ permission, freshLogin, destructive }: ManagementAccess): string {
  return [
    permission === 'none' ? 'Any admin.' : `Permission: \`${permission}\`.`,
    ...(freshLogin ? ['In live: a login of the last 10 minutes.'] : []),
    ...(destructive ? ['A token can be used for one such call.'] : []),
  ].join(' ');
}
