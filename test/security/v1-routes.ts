import type { DocumentedRoute } from './documented-routes.ts';
import type { Belongings } from './owned-objects.ts';

/** What a test knows of a route, written down apart from the code that serves it. */
export interface RouteRow {
  /** One of the eight scopes, or a secret key for what no scope covers. */
  readonly needs: string;
  /** Browsers may use it with a publishable key. */
  readonly publishable?: true;
  /** What the id in its path names. */
  readonly of?: keyof Belongings;
  /** A form that makes the route do its work; nothing where none is needed. */
  readonly form?: (own: Belongings) => string;
  /** Live refuses it, with 400. */
  readonly testOnly?: true;
  /** What a secret key gets for that. @defaultValue 200 */
  readonly answer?: string;
}

const SALE = 'amount=100&currency=eur&payment_method=pm_card_visa';
const CARD = 'card[number]=4242424242424242&card[exp_month]=12&card[exp_year]=2044';
const ENDPOINT = 'url=https%3A%2F%2F127.0.0.1%3A8443%2F&enabled_events[]=payout.paid';

/**
 * Every route of `/v1`. One that is missing here, or here alone, fails the matrices, which ask it
 * nevertheless, by what it declares.
 */
export const V1_ROUTES: Readonly<Record<string, RouteRow>> = {
  'POST /v1/charges': { needs: 'charges:write', form: () => SALE },
  'GET /v1/charges': { needs: 'charges:read' },
  'GET /v1/charges/{id}': { needs: 'charges:read', of: 'charge' },
  'POST /v1/charges/{id}': {
    needs: 'charges:write',
    of: 'charge',
    form: () => 'metadata[changed]=yes',
  },
  'POST /v1/charges/{id}/capture': { needs: 'charges:write', of: 'authorized' },
  'POST /v1/charges/{id}/cancel': { needs: 'charges:write', of: 'releasable' },
  'POST /v1/charges/{id}/refunds': {
    needs: 'charges:write',
    of: 'charge',
    form: () => 'amount=1',
  },
  'GET /v1/charges/{id}/refunds': { needs: 'charges:read', of: 'charge' },
  'GET /v1/charges/{id}/refunds/{refund}': { needs: 'charges:read', of: 'charge' },
  'POST /v1/charges/{id}/refunds/{refund}': {
    needs: 'charges:write',
    of: 'charge',
    form: () => 'metadata[changed]=yes',
  },
  'POST /v1/charges/{id}/refund': {
    needs: 'charges:write',
    of: 'charge',
    form: () => 'amount=1',
  },
  'POST /v1/refunds': {
    needs: 'charges:write',
    form: ({ charge }) => `charge=${charge}&amount=1`,
  },
  'GET /v1/refunds': { needs: 'charges:read' },
  'GET /v1/refunds/{id}': { needs: 'charges:read', of: 'refund' },
  'POST /v1/refunds/{id}': {
    needs: 'charges:write',
    of: 'refund',
    form: () => 'metadata[changed]=yes',
  },
  'POST /v1/refunds/{id}/cancel': {
    needs: 'charges:write',
    of: 'refund',
    answer: '400 status_transition_invalid',
  },
  'POST /v1/payment_methods': {
    needs: 'customers:write',
    publishable: true,
    form: () => 'type=card&card[token]=tok_visa',
  },
  'GET /v1/payment_methods/{id}': { needs: 'customers:read', of: 'method' },
  'POST /v1/payment_methods/{id}': {
    needs: 'customers:write',
    of: 'method',
    form: () => 'metadata[changed]=yes',
  },
  'POST /v1/tokens': { needs: 'customers:write', publishable: true, form: () => CARD },
  'GET /v1/tokens/{id}': { needs: 'customers:read', of: 'token' },
  'GET /v1/balance': { needs: 'payouts:read' },
  'GET /v1/balance_transactions': { needs: 'payouts:read' },
  'GET /v1/balance_transactions/{id}': { needs: 'payouts:read', of: 'line' },
  'POST /v1/webhook_endpoints': { needs: 'webhooks:write', form: () => ENDPOINT },
  'GET /v1/webhook_endpoints': { needs: 'webhooks:write' },
  'GET /v1/webhook_endpoints/{id}': { needs: 'webhooks:write', of: 'endpoint' },
  'POST /v1/webhook_endpoints/{id}': {
    needs: 'webhooks:write',
    of: 'endpoint',
    form: () => 'description=changed',
  },
  'POST /v1/webhook_endpoints/{id}/rotate_secret': { needs: 'webhooks:write', of: 'endpoint' },
  'DELETE /v1/webhook_endpoints/{id}': { needs: 'webhooks:write', of: 'deletable' },
  'GET /v1/events': { needs: 'webhooks:write' },
  'GET /v1/events/stream': { needs: 'webhooks:write', testOnly: true },
  'GET /v1/events/{id}': { needs: 'webhooks:write', of: 'event' },
  'POST /v1/events/{id}/replay': {
    needs: 'webhooks:write',
    of: 'event',
    form: ({ endpoint }) => `endpoint=${endpoint}`,
  },
  'GET /v1/api_keys': { needs: 'secret_key' },
  'GET /v1/api_keys/{id}': { needs: 'secret_key', of: 'spareKey' },
  'POST /v1/api_keys/{id}/revoke': { needs: 'secret_key', of: 'spareKey' },
  'POST /v1/test_helpers/events': {
    needs: 'webhooks:write',
    form: () => 'type=payout.paid',
    testOnly: true,
  },
};

type Saying = Pick<DocumentedRoute, 'name' | 'access'>;

/** What is in a collection, for routes that have no row. */
const COLLECTIONS: Readonly<Record<string, keyof Belongings>> = {
  charges: 'charge',
  refunds: 'refund',
  payment_methods: 'method',
  tokens: 'token',
  balance_transactions: 'line',
  webhook_endpoints: 'endpoint',
  events: 'event',
  api_keys: 'spareKey',
};

/** The row of a route; of one that has none, what it says of itself. */
export function toRow(route: Saying): RouteRow {
  return V1_ROUTES[route.name] ?? declaredRow(route);
}

/**
 * What a route says of itself.
 * @throws Error naming a route that does not say what it demands
 */
export function declaredRow({ name, access }: Saying): RouteRow {
  const scope = /^Scope: `([a-z_]+:[a-z_]+)`/.exec(access)?.[1];
  if (scope === undefined && access !== 'Only for secret keys.') {
    throw new Error(`${name} does not say what it demands: ${access}`);
  }
  const [, collection = ''] = /\/v1\/(\w+)\/\{id\}/.exec(name) ?? [];
  const of = COLLECTIONS[collection];
  return {
    needs: scope ?? 'secret_key',
    ...(access.includes('publishable key') && { publishable: true as const }),
    ...(access.includes('Only in the test environment') && { testOnly: true as const }),
    ...(of && { of }),
  };
}

/** The path of a route to what somebody has; a refund stands below its charge. */
export function pathTo(route: DocumentedRoute, own: Belongings): string {
  return route.name
    .slice(route.method.length + 1)
    .replace('{id}', own[toRow(route).of ?? 'charge'] ?? '')
    .replace('{refund}', own.refund);
}

/** A parameter whose text names an object. */
interface IdParameter {
  /** The kind of the object. */
  readonly of: readonly (keyof Belongings)[];
  /** What else is sent. */
  readonly with?: string;
  /** The answer to one that is none. @defaultValue 400 */
  readonly status?: 404;
}

export const ID_PARAMETERS: Readonly<Record<string, IdParameter>> = {
  'POST /v1/charges payment_method': { of: ['method'], with: 'amount=1&currency=eur' },
  'POST /v1/charges source': { of: ['token', 'method'], with: 'amount=1&currency=eur' },
  'POST /v1/refunds charge': { of: ['charge'] },
  'POST /v1/payment_methods card[token]': { of: ['token'], with: 'type=card' },
  'GET /v1/refunds charge': { of: ['charge'] },
  'GET /v1/balance_transactions source': { of: ['charge', 'refund'] },
  'POST /v1/events/{id}/replay endpoint': { of: ['endpoint'], status: 404 },
  'POST /v1/test_helpers/events object': { of: ['charge'], with: 'type=charge.succeeded' },
  'POST /v1/test_helpers/events endpoint': {
    of: ['endpoint'],
    with: 'type=charge.succeeded',
    status: 404,
  },
  'GET /v1/events object_id': { of: ['charge', 'refund', 'endpoint'] },
};

/** Lists, and what stands in them: what `starting_after` and `ending_before` name. */
export const LISTS: Readonly<Record<string, keyof Belongings>> = {
  'GET /v1/charges': 'charge',
  'GET /v1/refunds': 'refund',
  'GET /v1/charges/{id}/refunds': 'refund',
  'GET /v1/balance_transactions': 'line',
  'GET /v1/webhook_endpoints': 'endpoint',
  'GET /v1/events': 'event',
  'GET /v1/api_keys': 'spareKey',
};

/** Texts that name nothing of ours. Another one is an id, or belongs here. */
export const PLAIN_TEXTS: ReadonlySet<string> = new Set([
  ...['currency', 'description', 'statement_descriptor', 'receipt_email', 'url'],
  ...['name', 'email', 'phone', 'address', 'shipping', 'billing_details', 'metadata'],
  ...['city', 'country', 'line1', 'line2', 'postal_code', 'state', 'number', 'cvc'],
  ...['expand[]', 'enabled_events[]', 'types[]', 'api_version'],
]);
