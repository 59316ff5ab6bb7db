import type { Principal } from '@paymount/core/kernel';

/**
 * What answers to a replaced key say beside what they answer: since when it is replaced (RFC 9745)
 * and, where it ends by itself, until when it works (RFC 8594).
 * @returns headers; none for any other key
 */
export function deprecationHeaders(principal: Principal): Record<string, string> {
  const replaced = principal.kind === 'key' ? principal.replaced : undefined;
  if (replaced === undefined) return {};
  const { at, worksUntil } = replaced;
  return {
    Deprecation: `@${Math.floor(at.getTime() / 1000)}`,
    ...(worksUntil && { Sunset: worksUntil.toUTCString() }),
  };
}
