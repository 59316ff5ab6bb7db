/**
 * Reads a `Retry-After` header (RFC 9110, section 10.2.3).
 * @param value seconds, or an HTTP date
 * @param nowMs unix milliseconds, for dates
 * @returns milliseconds to wait from now; undefined for 0, the past, negative numbers and text
 */
export function readRetryAfter(
  value: string | readonly string[] | undefined,
  nowMs: number,
): number | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  const waitMs = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : readDate(text) - nowMs;
  return waitMs > 0 ? waitMs : undefined;
}

// "Sun, 06 Nov 1994 08:49:37 GMT"; the two obsolete forms are ambiguous and not supported.
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

function readDate(text: string): number {
  return HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
}
