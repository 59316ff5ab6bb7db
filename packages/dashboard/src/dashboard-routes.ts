import { EventResource } from '@paymount/core/changes';
import { PaymountError } from '@paymount/core/kernel';
import type { Route } from '@paymount/http';
import {
  type AdminCall,
  callFor,
  type ManagementAccess,
  type ManagementRoute,
  requireIn,
} from '@paymount/management';

/** Routes of the management API, by name: what is not named here does not exist in the dashboard. */
const MANAGED: readonly string[] = [
  'retrieveAccount',
  'updateAccount',
  'retrieveBillingSettings',
  'updateBillingSettings',
  'listKeys',
  'createKey',
  'retrieveKey',
  'updateKey',
  'rotateKey',
  'revokeKey',
  'retrieveKeyUsage',
  'retrieveKeyIpSuggestions',
  'listWebhookEndpoints',
  'createWebhookEndpoint',
  'retrieveWebhookEndpoint',
  'updateWebhookEndpoint',
  'rotateWebhookEndpointSecret',
  'deleteWebhookEndpoint',
  'listDeliveries',
  'summarizeDeliveries',
  'retrieveDelivery',
  'retryDelivery',
  'listEvents',
  'retrieveEvent',
  'replayEvent',
  'listReplays',
  'createReplay',
  'retrieveReplay',
  'cancelReplay',
  'listBankAccounts',
  'retrieveBankAccount',
  'listLeaks',
  'retrieveLeak',
  'dismissLeak',
  'rotateLeakedSigningSecrets',
  'listAuditEntries',
  'retrieveAuditEntry',
];

/** Events of the management API have the account; this one has not, so it has its own name. */
const TriggeredEvent = EventResource.omit({ expunged_at: true }).meta({ id: 'TriggeredEvent' });

/** Routes of `/v1`, by name, with the permission that a session needs for them. */
const ADOPTED: Readonly<
  Record<string, ManagementAccess & Partial<Pick<Route['facts'], 'response'>>>
> = {
  listCharges: { permission: 'charges.read' },
  retrieveCharge: { permission: 'charges.read' },
  listChargeRefunds: { permission: 'charges.read' },
  createChargeRefund: { permission: 'charges.refund', freshLogin: true },
  listRefunds: { permission: 'charges.read' },
  retrieveRefund: { permission: 'charges.read' },
  retrieveBalance: { permission: 'balance.read' },
  listBalanceTransactions: { permission: 'balance.read' },
  retrieveBalanceTransaction: { permission: 'balance.read' },
  listConnectedApplications: { permission: 'grants.read' },
  retrieveConnectedApplication: { permission: 'grants.read' },
  // No login stands in the way of ending access.
  deleteConnectedApplication: { permission: 'grants.revoke' },
  triggerEvent: { permission: 'events.trigger', response: TriggeredEvent },
};

/**
 * Routes that show a secret, or change where notices of leaks go: a session needs a fresh login in
 * live.
 */
const FRESH: ReadonlySet<string> = new Set([
  'updateAccount',
  'createWebhookEndpoint',
  'rotateWebhookEndpointSecret',
  'rotateLeakedSigningSecrets',
]);

/** Routes that need it only with a parameter: all events of the account go to a new URL. */
const FRESH_WITH: Readonly<Record<string, string>> = { updateWebhookEndpoint: 'url' };

/** Where the routes of the dashboard come from. */
export interface RouteSources {
  /** All routes of the management API. */
  readonly managed: readonly ManagementRoute[];
  /** All routes of `/v1`. */
  readonly api: readonly Route[];
  /** Routes that only the dashboard has. */
  readonly own: readonly ManagementRoute[];
}

/**
 * The routes of the dashboard's API.
 * @throws Error for a name that neither of the two APIs has
 */
export function dashboardRoutes({ managed, api, own }: RouteSources): readonly ManagementRoute[] {
  return [
    ...own,
    ...MANAGED.map((name) => withFreshLogin(named(managed, name))),
    ...Object.entries(ADOPTED).map(([name, access]) => adopted(named(api, name), access)),
  ];
}

function named<Row extends ManagementRoute | Route>(routes: readonly Row[], name: string): Row {
  const route = routes.find(({ facts }) => facts.operationId === name);
  if (route === undefined) throw new Error(`There is no route ${name}.`);
  return route;
}

function withFreshLogin(route: ManagementRoute): ManagementRoute {
  const { facts } = route;
  if (FRESH.has(facts.operationId)) return { ...route, facts: { ...facts, freshLogin: true } };
  const parameter = FRESH_WITH[facts.operationId];
  return parameter === undefined ? route : withFreshLoginFor(route, parameter);
}

function withFreshLoginFor(route: ManagementRoute, parameter: string): ManagementRoute {
  const summary = `${route.facts.summary}; in live, \`${parameter}\` needs a login of the last 10 minutes`;
  return {
    ...route,
    facts: { ...route.facts, summary },
    prepare(path, sent) {
      const { parameters, run } = route.prepare(path, sent);
      const isSent =
        typeof parameters === 'object' && parameters !== null && parameter in parameters;
      const demand = (call: AdminCall): AdminCall =>
        isSent ? { ...call, access: { ...call.access, freshLogin: true } } : call;
      return { parameters, run: (call) => run(demand(call)) };
    },
  };
}

/** A route of `/v1`, below the mount of the dashboard, for a session instead of a key. */
function adopted({ facts, pattern, ...route }: Route, access: ManagementAccess): ManagementRoute {
  const { operationId, summary, errorStatuses, response } = facts;
  return {
    ...route,
    pattern: pattern.slice('/v1'.length),
    facts: { operationId, summary, response, ...(errorStatuses && { errorStatuses }), ...access },
    prepare(path, sent) {
      const { parameters, run } = route.prepare(path, sent);
      return { parameters, run: (call) => run(callFor(call, ownerIn(call))) };
    },
  };
}

/** The account and environment in the address of the request. */
function ownerIn(call: AdminCall) {
  const { accounts, environments } = call.adminScope;
  const [accountId] = accounts === 'all' ? [] : accounts;
  const [environment] = environments;
  if (accountId === undefined || environment === undefined) {
    throw new PaymountError('internal_error', undefined, {
      cause: new TypeError('A session of the dashboard has one account and one environment.'),
    });
  }
  requireIn(call, environment);
  return { accountId, environment };
}
