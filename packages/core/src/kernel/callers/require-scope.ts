import { PaymountError } from '../errors/paymount-error.ts';
import type { Principal } from './principal.ts';
import type { Scope } from './scope.ts';

/** Whether a principal has a scope. Write does not imply read. */
export function hasScope({ scopes }: Pick<Principal, 'scopes'>, scope: Scope): boolean {
  return scopes === 'all' || scopes.has(scope);
}

/**
 * Refuses a principal without a scope, naming it and those that are there.
 * @param why what needs it, as a sentence @defaultValue the scope is the one of the route
 * @throws PaymountError 403 `insufficient_scope`
 */
export function requireScope(principal: Principal, scope: Scope, why?: string): void {
  const { scopes } = principal;
  if (scopes === 'all' || scopes.has(scope)) return;
  const lacks = `This ${credentialNoun(principal)} lacks ${scope}.`;
  throw new PaymountError('insufficient_scope', why === undefined ? lacks : `${lacks} ${why}`, {
    extra: { required_scope: scope, granted_scopes: [...scopes].sort() },
  });
}

/** What a message calls the credential of a principal. */
export function credentialNoun({ kind }: Principal): 'token' | 'key' {
  return kind === 'token' ? 'token' : 'key';
}
