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
 * slash (RFC 8414, section 2). In test, http too.
 * @throws Error for any other value
 */
export function requireIssuer(issuer: string | undefined, environment: Environment): string {
  const text = issuer ?? '';
  if (URL.canParse(text)) {
    const { protocol, href } = new URL(text);
    const isWeb = protocol === 'https:' || (protocol === 'http:' && environment === 'test');
    const isPlain = !/[?#]/.test(text) && !text.endsWith('/');
    if (isWeb && isPlain && (href === text || href === `${text}/`)) return text;
  }
  throw new Error(
    '`issuer` is the public URL of the mount without a slash at its end, such as https://pay.example.com; in live it uses https.',
  );
}
