import { isLoopback } from '@paymount/core/access';
import { ENVIRONMENTS, type Environment } from '@paymount/core/kernel';

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
  const text = issuer ?? '';
  if (URL.canParse(text)) {
    const { protocol, href, hostname } = new URL(text);
    const isLocal = protocol === 'http:' && isLoopback(hostname) && environment === 'test';
    const isWeb = protocol === 'https:' || isLocal;
    const isPlain = !/[?#]/.test(text) && !text.endsWith('/');
    if (isWeb && isPlain && (href === text || href === `${text}/`)) return text;
  }
  throw new Error(
    '`issuer` is the public URL of the mount without a slash at its end, such as https://pay.example.com; it uses https, or in test http with a loopback address.',
  );
}
