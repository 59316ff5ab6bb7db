import type { AdminBelongings } from './admin-stage.ts';
import type { DocumentedRoute } from './documented-routes.ts';

/** What a test knows of a route of the management API, apart from the code that serves it. */
export interface AdminRow {
  /** The permission, or `none` for whoever is an admin. */
  readonly needs: string;
  /** What the id in its path names. */
  readonly of?: keyof AdminBelongings;
  /** A body with which the route does its work. @defaultValue nothing, or `{}` */
  readonly body?: (own: AdminBelongings, livemode: boolean) => object;
  /** Makes something for an account that the body names, instead of changing what the path names. */
  readonly makes?: true;
  /** Concerns an account as a whole, in both environments. */
  readonly spans?: true;
}

const HOOK = { url: 'https://127.0.0.1:8443/hook', enabled_events: ['*'] };

/**
 * Every route. One that is missing here, or here alone, fails the matrix, which asks it
 * nevertheless, by what it declares.
 */
export const ADMIN_ROUTES: Readonly<Record<string, AdminRow>> = {
  'GET /accounts': { needs: 'accounts.read' },
  'POST /accounts': {
    needs: 'accounts.write',
    body: () => ({ name: 'New', country: 'DE', default_currency: 'eur' }),
    spans: true,
  },
  'GET /accounts/{id}': { needs: 'accounts.read', of: 'account' },
  'POST /accounts/{id}': {
    needs: 'accounts.write',
    of: 'account',
    body: () => ({ name: 'Changed' }),
    spans: true,
  },
  'POST /accounts/{id}/suspend': { needs: 'accounts.suspend', of: 'account', spans: true },
  'POST /accounts/{id}/resume': { needs: 'accounts.suspend', of: 'account', spans: true },
  'GET /keys': { needs: 'keys.read' },
  'POST /keys': {
    needs: 'keys.write',
    body: ({ account }, livemode) => ({ account, livemode, type: 'secret', name: 'New' }),
    makes: true,
  },
  'GET /keys/{id}': { needs: 'keys.read', of: 'key' },
  'POST /keys/{id}': { needs: 'keys.write', of: 'key', body: () => ({ name: 'Changed' }) },
  'POST /keys/{id}/rotate': { needs: 'keys.write', of: 'keyToRotate' },
  'POST /keys/{id}/revoke': { needs: 'keys.revoke', of: 'keyToRevoke' },
  'GET /keys/{id}/usage': { needs: 'keys.read', of: 'key' },
  'GET /keys/{id}/ip_suggestions': { needs: 'keys.read', of: 'key' },
  'GET /endpoints': { needs: 'endpoints.read' },
  'POST /endpoints': {
    needs: 'endpoints.write',
    body: ({ account }, livemode) => ({ account, livemode, ...HOOK }),
    makes: true,
  },
  'GET /endpoints/{id}': { needs: 'endpoints.read', of: 'endpoint' },
  'POST /endpoints/{id}': {
    needs: 'endpoints.write',
    of: 'endpoint',
    body: () => ({ description: 'changed' }),
  },
  'POST /endpoints/{id}/rotate_secret': { needs: 'endpoints.write', of: 'endpoint' },
  'DELETE /endpoints/{id}': { needs: 'endpoints.write', of: 'endpointToDelete' },
  'GET /deliveries': { needs: 'deliveries.read' },
  'GET /deliveries/{id}': { needs: 'deliveries.read', of: 'delivery' },
  'POST /deliveries/{id}/retry': { needs: 'deliveries.replay', of: 'delivery' },
  'GET /events': { needs: 'deliveries.read' },
  'GET /events/{id}': { needs: 'deliveries.read', of: 'event' },
  'POST /events/{id}/replay': {
    needs: 'deliveries.replay',
    of: 'event',
    body: ({ endpoint }) => ({ endpoint }),
  },
  'GET /replays': { needs: 'deliveries.read' },
  'POST /replays': {
    needs: 'deliveries.replay',
    body: ({ account, endpoint }, livemode) => ({ account, livemode, endpoint, dry_run: true }),
    makes: true,
  },
  'GET /replays/{id}': { needs: 'deliveries.read', of: 'replay' },
  'POST /replays/{id}/cancel': { needs: 'deliveries.replay', of: 'replay' },
  'GET /operations': { needs: 'operations.read' },
  'GET /operations/{id}': { needs: 'operations.read', of: 'operation' },
  'POST /operations/{id}/settle': {
    needs: 'operations.settle',
    of: 'operation',
    body: () => ({ as: 'declined', reason: 'The bank said so.' }),
  },
  'POST /operations/{id}/dismiss': {
    needs: 'operations.settle',
    of: 'lateOperation',
    body: () => ({ reason: 'The bank took it back.' }),
  },
  'GET /leaks': { needs: 'leaks.read' },
  'POST /leaks': {
    needs: 'leaks.write',
    body: ({ leakedKey }) => ({ credential: leakedKey, source: 'test' }),
  },
  'GET /leaks/{id}': { needs: 'leaks.read', of: 'leak' },
  'POST /leaks/{id}/dismiss': { needs: 'leaks.write', of: 'leak' },
  'POST /leaks/{id}/rotate_signing_secrets': { needs: 'leaks.write', of: 'leak' },
  'GET /audit': { needs: 'audit.read' },
  'GET /audit/export': { needs: 'audit.read' },
  'POST /audit/verify': { needs: 'audit.read' },
  'GET /audit/{id}': { needs: 'audit.read', of: 'audit' },
  'GET /health': { needs: 'health.read' },
  'GET /metrics': { needs: 'health.read' },
  'GET /me': { needs: 'none' },
};

type Saying = Pick<DocumentedRoute, 'name' | 'access'>;

/** What is in a collection, for routes that have no row. */
const COLLECTIONS: Readonly<Record<string, keyof AdminBelongings>> = {
  accounts: 'account',
  keys: 'key',
  endpoints: 'endpoint',
  deliveries: 'delivery',
  events: 'event',
  replays: 'replay',
  operations: 'operation',
  leaks: 'leak',
  audit: 'audit',
};

/** The row of a route; of one that has none, what it says of itself. */
export function adminRowOf(route: Saying): AdminRow {
  return ADMIN_ROUTES[route.name] ?? declaredAdminRow(route);
}

/**
 * What a route says of itself.
 * @throws Error naming a route that does not say what it demands
 */
export function declaredAdminRow({ name, access }: Saying): AdminRow {
  const permission = /^Permission: `([a-z]+\.[a-z]+)`/.exec(access)?.[1];
  if (permission === undefined && !access.startsWith('Any admin.')) {
    throw new Error(`${name} does not say what it demands: ${access}`);
  }
  const [, collection = ''] = /\/(\w+)\/\{id\}/.exec(name) ?? [];
  const of = COLLECTIONS[collection];
  return { needs: permission ?? 'none', ...(of && { of }) };
}

const READS = [
  ...['accounts', 'keys', 'endpoints', 'deliveries', 'operations', 'leaks', 'health'],
].map((what) => `${what}.read`);
const SUPPORT = [...READS, 'deliveries.replay'];
const DEVELOPER = [...SUPPORT, 'keys.write', 'keys.revoke', 'endpoints.write'];
const SECURITY = [...READS, 'audit.read', 'keys.revoke', 'accounts.suspend', 'leaks.write'];
const ADMIN = [...new Set([...DEVELOPER, ...SECURITY, 'accounts.write', 'operations.settle'])];

/** What each role may do, and where. */
export const ROLES: Readonly<Record<string, Readonly<Record<'live' | 'test', readonly string[]>>>> =
  {
    viewer: { live: READS, test: READS },
    support: { live: SUPPORT, test: SUPPORT },
    developer: { live: SUPPORT, test: DEVELOPER },
    security: { live: SECURITY, test: SECURITY },
    admin: { live: ADMIN, test: ADMIN },
    // Names that are no role give nothing.
    nobody: { live: [], test: [] },
    constructor: { live: [], test: [] },
  };

/** Parameters whose text names an object, and what stands in them. */
export const ADMIN_ID_PARAMETERS: Readonly<
  Record<string, { readonly of: keyof AdminBelongings; readonly answer: 'none' | 'missing' }>
> = {
  'POST /keys account': { of: 'account', answer: 'missing' },
  'POST /endpoints account': { of: 'account', answer: 'missing' },
  'POST /audit/verify account': { of: 'account', answer: 'missing' },
  'POST /replays account': { of: 'account', answer: 'missing' },
  'POST /replays endpoint': { of: 'endpoint', answer: 'missing' },
  'POST /replays to': { of: 'endpoint', answer: 'missing' },
  'GET /keys account': { of: 'account', answer: 'missing' },
  'GET /endpoints account': { of: 'account', answer: 'missing' },
  'GET /deliveries account': { of: 'account', answer: 'missing' },
  'GET /deliveries endpoint': { of: 'endpoint', answer: 'none' },
  'GET /deliveries event': { of: 'event', answer: 'none' },
  'GET /deliveries replay': { of: 'replay', answer: 'none' },
  'GET /replays account': { of: 'account', answer: 'missing' },
  'GET /events account': { of: 'account', answer: 'missing' },
  'POST /events/{id}/replay endpoint': { of: 'endpoint', answer: 'missing' },
  'GET /events object_id': { of: 'charge', answer: 'none' },
  'GET /operations account': { of: 'account', answer: 'missing' },
  'GET /operations subject': { of: 'charge', answer: 'none' },
  'GET /leaks account': { of: 'account', answer: 'missing' },
  'GET /audit account': { of: 'account', answer: 'missing' },
  'GET /audit target': { of: 'key', answer: 'none' },
};

/** Lists, and what stands in them. */
export const ADMIN_LISTS: Readonly<Record<string, keyof AdminBelongings>> = {
  'GET /accounts': 'account',
  'GET /keys': 'key',
  'GET /endpoints': 'endpoint',
  'GET /deliveries': 'delivery',
  'GET /events': 'event',
  'GET /replays': 'replay',
  'GET /operations': 'operation',
  'GET /leaks': 'leak',
  'GET /audit': 'audit',
};

/** Texts that name nothing which an admin could see or not. */
export const ADMIN_PLAIN_TEXTS: readonly RegExp[] = [
  /^POST \/accounts(?:\/\{id\})? (?:name|email|country|default_currency)$/,
  /^POST \/keys(?:\/\{id\})? (?:name|allowed_ips\[\])$/,
  /^POST \/endpoints(?:\/\{id\})? (?:url|enabled_events\[\]|description|api_version)$/,
  /^POST \/operations\/\{id\}\/(?:settle|dismiss) (?:reason|processor_reference)$/,
  /^GET \/operations processor$/,
  /^POST \/leaks (?:credential|source|url)$/,
  /^GET \/audit(?:\/export)? (?:actor|target|account)$/,
  // A chain's head is compared, never shown; whose it is must be within reach.
  /^POST \/audit\/verify heads\[\]\[(?:account|hash)\]$/,
];
