import type { RouteAccess } from '@paymount/auth';
import { type Call, SCOPES } from '@paymount/core/kernel';
import type { Expandable } from './expand.ts';
import { type RouteTable, routeTables, type TableRoute } from './route-table.ts';

export { Nothing } from './route-table.ts';

const ACCESSES: readonly unknown[] = [...SCOPES, 'secret_key'];

/** What a route of `/v1` declares: who may use it, and what it may show besides. */
export interface ApiAccess extends RouteAccess {
  /** What `expand[]` may name. @defaultValue nothing */
  readonly expand?: Expandable;
  /**
   * Makes another answer of the resource that the service stored with its change: the charge, of a
   * refund. What it made once it is given again when the request is replayed, and returns as it is.
   */
  readonly instead?: (call: Call, resource: object) => Promise<object>;
}

export type Route = TableRoute<ApiAccess, Call>;

/**
 * Starts a route table.
 * @param base the path that all patterns continue, such as `/v1/charges`
 * @throws Error (on adding a route) when it declares no scope or what is unknown, or takes unknown parameters
 */
export const routesUnder: (base: string) => RouteTable<ApiAccess, Call> = routeTables({
  members: { scope: true, publishable: true, testOnly: true, expand: true, instead: true },
  faultOf: ({ scope }) =>
    ACCESSES.includes(scope)
      ? undefined
      : `declares no scope; give it one of ${ACCESSES.join(', ')}`,
});
