import type { RouteAccess } from '@paymount/auth';
import { type Call, SCOPES } from '@paymount/core/kernel';
import type { Expandable } from './expand.ts';
import { type RouteTable, routeTables, type TableRoute } from './route-table.ts';

export { Nothing } from './route-table.ts';

const ACCESSES: readonly unknown[] = [...SCOPES, 'secret_key'];

/** The declarations of a `/v1` route: who may use it, and what it may expand. */
export interface ApiAccess extends RouteAccess {
  /** The fields that `expand[]` may name. @defaultValue none */
  readonly expand?: Expandable;
  /**
   * Makes another answer from the resource that the service stored with its change: the charge of a
   * refund, for example. On a replay it gets its own earlier result, and must return it unchanged.
   */
  readonly instead?: (call: Call, resource: object) => Promise<object>;
}

export type Route = TableRoute<ApiAccess, Call>;

/**
 * Starts a route table.
 * @param base the prefix of all patterns, such as `/v1/charges`
 * @throws Error (when a route is added) if it declares no scope or an unknown one, or takes unknown
 *   parameters
 */
export const routesUnder: (base: string) => RouteTable<ApiAccess, Call> = routeTables({
  members: {
    scope: true,
    orScope: true,
    publishable: true,
    testOnly: true,
    expand: true,
    instead: true,
  },
  findFault: ({ scope, orScope = scope }) =>
    ACCESSES.includes(scope) && ACCESSES.includes(orScope)
      ? undefined
      : `declares no scope; give it one of ${ACCESSES.join(', ')}`,
});
