import type { AdminBelongings } from '../support/admin-setup.ts';
import type { Belongings } from '../support/owned-objects.ts';
import { MANAGEMENT_ROUTES, V1_ROUTES } from '../support/route-table.ts';
import { SERVED } from '../support/served-routes.ts';

/** What one account has in one environment, as its users see it. */
export type MerchantBelongings = AdminBelongings &
  Pick<Belongings, 'refund' | 'line' | 'customer' | 'application' | 'disconnected'>;

/** A route of the dashboard, with what the tables of both APIs know of it. */
export interface DashboardRoute {
  /** `POST /keys/{id}/rotate` */
  readonly name: string;
  readonly method: string;
  readonly pattern: string;
  readonly freshLogin: boolean;
  /** What the id in its path names. */
  readonly of?: keyof MerchantBelongings;
  /** Concerns an account as a whole, in both environments. */
  readonly spans: boolean;
  /** Live refuses it. */
  readonly testOnly: boolean;
  /** A body that makes the route do its work. */
  readonly body: (own: MerchantBelongings, livemode: boolean) => object;
  /** Of writes: the actions of the audit entries that one call writes, in alphabetical order. */
  readonly audits: readonly string[];
  readonly ids: readonly IdParameter[];
}

/** A parameter whose text names an object. */
interface IdParameter {
  readonly name: string;
  readonly of: keyof MerchantBelongings;
  /** What else is sent, instead of the body that does the work. */
  readonly with?: object;
}

/** The entries that writes leave which admins do not have. */
const AUDITS: Readonly<Record<string, readonly string[]>> = {
  createChargeRefund: ['refund.create'],
  deleteConnectedApplication: ['grant.revoke'],
  triggerEvent: ['event.trigger'],
  revealWebhookEndpointSecrets: ['endpoint.reveal_secrets'],
  confirmBankAccount: ['bank_account.confirm'],
};

/** Every route of the dashboard, from what is served. @throws Error for one that no table has */
export const DASHBOARD_ROUTES: readonly DashboardRoute[] = SERVED.dashboard.map((route) => {
  const { operationId, freshLogin } = route.facts;
  const pattern = route.pattern.replace(/:(\w+)/g, '{$1}');
  const served = {
    name: `${route.method} ${pattern}`,
    method: route.method,
    pattern,
    freshLogin: freshLogin === true,
  };
  return { ...served, ...factsOf(operationId) };
});

/** The writes, with the deletes last: what is gone can be used no more. */
export const WRITES: readonly DashboardRoute[] = DASHBOARD_ROUTES.filter(
  ({ method }) => method !== 'GET',
).toSorted((one, other) => Number(isDelete(one)) - Number(isDelete(other)));

function isDelete({ method }: DashboardRoute): boolean {
  return method === 'DELETE';
}

function factsOf(operation: string) {
  if (operation === 'revealWebhookEndpointSecrets')
    return withDefaults(operation, { of: 'endpoint' });
  if (operation === 'confirmBankAccount') return withDefaults(operation, { of: 'bankAccount' });
  const managed = MANAGEMENT_ROUTES.find((row) => row.operation === operation);
  if (managed !== undefined) {
    const ids = Object.entries(managed.ids ?? {}).map(([name, { of }]) => ({ name, of }));
    return withDefaults(operation, { ...managed, ids });
  }
  const row = V1_ROUTES.find((each) => each.operation === operation);
  if (row === undefined) throw new Error(`No table of routes has ${operation}.`);
  const ids = Object.entries(row.ids ?? {}).flatMap(([name, { of, with: others }]) =>
    of.map((kind) => ({
      name,
      of: kind as keyof MerchantBelongings,
      ...(others && { with: others }),
    })),
  );
  return withDefaults(operation, { ...(row as object), ids });
}

type Facts = Omit<DashboardRoute, 'name' | 'method' | 'pattern' | 'freshLogin'>;

function withDefaults(operation: string, facts: Partial<Facts>): Facts {
  const { of, spans, testOnly, body, audits, ids } = facts;
  return {
    ...(of === undefined ? {} : { of }),
    spans: spans === true,
    testOnly: testOnly === true,
    body: body ?? (() => ({})),
    audits: audits ?? AUDITS[operation] ?? [],
    ids: ids ?? [],
  };
}

/** The path of a route to an object of somebody. */
export function pathTo({ pattern, of }: DashboardRoute, own: MerchantBelongings): string {
  return pattern.replace('{id}', of === undefined ? '' : own[of]);
}
