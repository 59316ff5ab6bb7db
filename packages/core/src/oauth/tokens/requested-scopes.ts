import { SCOPES, type Scope } from '../../kernel/callers/scope.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';

/**
 * The scopes that a request asks for (RFC 6749, section 3.3), in the order of the specification.
 * @param scope space-separated, as sent; absent: all that are allowed
 * @throws PaymountError `invalid_scope` for a scope that is unknown, named twice or not allowed
 */
export function requestedScopes(
  scope: string | undefined,
  allowed: readonly Scope[],
): readonly Scope[] {
  if (scope === undefined) return allowed;
  const names = scope.split(' ');
  const unknown = names.find((name) => !allowed.some((known) => known === name));
  if (unknown !== undefined) {
    throw invalidScope(
      `scope must be a list of ${allowed.join(', ')}, separated by single spaces.`,
    );
  }
  if (new Set(names).size < names.length) throw invalidScope('scope names a scope twice.');
  return SCOPES.filter((known) => names.includes(known));
}

function invalidScope(message: string): PaymountError {
  return new PaymountError('invalid_scope', message, { param: 'scope' });
}
