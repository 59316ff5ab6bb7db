import { ENVIRONMENTS, type Environment } from '@paymount/core/kernel';
import { requirePublicUrl } from '../options/public-url.ts';

/**
 * The issuers of a root.
 * @throws Error for another value, and for none
 */
export function requireIssuers(
  issuers: Readonly<Partial<Record<Environment, string>>> = {},
): readonly string[] {
  const known = ENVIRONMENTS.flatMap((environment) => {
    const issuer = issuers[environment];
    return issuer === undefined ? [] : [requireIssuer(issuer, environment)];
  });
  if (known.length === 0) throw new Error('`issuers` of wellKnownRouter() names no issuer.');
  return known;
}

/**
 * The identifier of an authorization server: an https URL without query, fragment and trailing
 * slash (RFC 8414, section 2). In test, http too with a loopback address.
 * @throws Error for any other value
 */
export function requireIssuer(issuer: string | undefined, environment: Environment): string {
  return requirePublicUrl(issuer, environment, 'issuer');
}
