import type { Principal } from '@paymount/core/kernel';

/**
 * The headers of responses to a replaced key: since when it is replaced (RFC 9745) and, if it has
 * an end, until when it works (RFC 8594).
 * @returns headers; empty for any other key
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
