import {
  credentialNoun,
  PaymountError,
  type Principal,
  requireScope,
  type Scope,
} from '@paymount/core/kernel';

/** The requirement of a route for its callers; each route declares one. */
export interface RouteAccess {
  /** A scope, or `secret_key` for routes without one. */
  readonly scope: Scope | 'secret_key';
  /** Another scope that suffices: the route is part of two resources. @defaultValue none */
  readonly orScope?: Scope;
  /** The two routes that tokenise cards: publishable keys may call them. */
  readonly publishable?: true;
  /** It creates invented events, which live must never show. */
  readonly testOnly?: true;
}

/**
 * Step 10 of the guard's order: key type, then scope, then environment. Write does
 * not imply read.
 * @throws 403 `publishable_key_not_allowed`, `secret_key_required`, `insufficient_scope`;
 *   400 `test_mode_only`
 */
export function authorizeRoute(principal: Principal, access: RouteAccess): void {
  authorizeScope(principal, access);
  if (access.testOnly && principal.environment === 'live') {
    throw new PaymountError('test_mode_only');
  }
}

function authorizeScope(principal: Principal, access: RouteAccess): void {
  if (principal.kind === 'key' && principal.keyType === 'publishable') {
    if (access.publishable) return;
    throw new PaymountError('publishable_key_not_allowed');
  }
  if (principal.scopes === 'all') return;
  if (access.scope === 'secret_key') {
    throw new PaymountError(
      'secret_key_required',
      `No scope covers this route, so this ${credentialNoun(principal)} cannot call it. Use a secret key.`,
    );
  }
  requireScope(principal, access.scope, { or: access.orScope });
}
