import { PaymountError } from '../errors/paymount-error.ts';
import type { Principal } from './principal.ts';
import type { Scope } from './scope.ts';

/** Whether a principal has a scope. Write does not imply read. */
export function hasScope({ scopes }: Pick<Principal, 'scopes'>, scope: Scope): boolean {
  return scopes === 'all' || scopes.has(scope);
}

/**
 * Refuses a principal without a scope, naming it and those that are there.
 * @param options `or`: another scope that suffices; `why`: what needs it, as a sentence
 *   @defaultValue only the scope suffices, and it is the one of the route
 * @throws PaymountError 403 `insufficient_scope`
 */
export function requireScope(
  principal: Principal,
  scope: Scope,
  { or, why }: { readonly or?: Scope | undefined; readonly why?: string } = {},
): void {
  const { scopes } = principal;
  if (scopes === 'all' || scopes.has(scope)) return;
  if (or !== undefined && scopes.has(or)) return;
  const named = or === undefined ? scope : `${scope} or ${or}`;
  const lacks = `This ${credentialNoun(principal)} lacks ${named}.`;
  throw new PaymountError('insufficient_scope', why === undefined ? lacks : `${lacks} ${why}`, {
    extra: { required_scope: scope, granted_scopes: [...scopes].sort() },
  });
}

/** What a message calls the credential of a principal. */
export function credentialNoun({ kind }: Principal): 'token' | 'key' {
  return kind === 'token' ? 'token' : 'key';
}
