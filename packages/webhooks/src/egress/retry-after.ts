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
  const waitMs = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : readDate(text, nowMs) - nowMs;
  return waitMs > 0 ? waitMs : undefined;
}

// The form of today, and the two obsolete ones that a recipient must accept (RFC 9110, 5.6.7):
// "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994".
const FORMS = [
  /^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{5,8}, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/,
];
const FAR_YEARS = 50;

/** @returns unix milliseconds; NaN for anything that is not a date */
function readDate(text: string, nowMs: number): number {
  for (const form of FORMS) {
    const { day, month, year, time } = form.exec(text)?.groups ?? {};
    if (year !== undefined)
      return Date.parse(`${day} ${month} ${fullYear(year, nowMs)} ${time} GMT`);
  }
  return Number.NaN;
}

/** A year of two digits that seems to be over 50 years ahead is the last one with these digits. */
function fullYear(year: string, nowMs: number): number {
  if (year.length === 4) return Number(year);
  const now = new Date(nowMs).getUTCFullYear();
  const inThisCentury = now - (now % 100) + Number(year);
  return inThisCentury > now + FAR_YEARS ? inThisCentury - 100 : inThisCentury;
}
