import { usage } from '@paymount/cli';
import { IsoInput } from '@paymount/core/kernel';

const DAY_SECONDS = 86_400;
const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: DAY_SECONDS };
const DURATION = /^(\d{1,9})([smhd])$/;

/**
 * Parses `90s`, `30m`, `24h` or `7d` to seconds.
 * @throws CommandFailure naming the flag and its range
 */
export function parseSeconds(flag: string, text: string, maxDays: number): number {
  const seconds = duration(text);
  if (seconds !== undefined && seconds <= maxDays * DAY_SECONDS) return seconds;
  throw usage(
    `${flag} takes 0s to ${maxDays}d: a whole number and its unit (s, m, h or d), such as 24h or 7d; not ${shown(text)}.`,
  );
}

/**
 * Parses a time: a date (its start in UTC), ISO 8601 with a zone, or a duration.
 * @param fromNow 1: a duration counts forward from now; -1: backward
 * @throws CommandFailure naming the flag
 */
export function parseMoment(
  flag: string,
  text: string,
  { now, fromNow }: { readonly now: Date; readonly fromNow: 1 | -1 },
): Date {
  const seconds = duration(text);
  if (seconds !== undefined) return new Date(now.getTime() + fromNow * seconds * 1000);
  const iso = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text;
  if (IsoInput.safeParse(iso).success) return new Date(iso);
  throw usage(
    `${flag} takes a date, ISO 8601 with a zone, or a duration such as 30d; not ${shown(text)}.`,
  );
}

/** An empty value, from an unset shell variable, would be invisible in the message. */
function shown(text: string): string {
  return text.trim() === '' ? 'an empty text' : text;
}

function duration(text: string): number | undefined {
  const [, count, unit] = DURATION.exec(text) ?? [];
  const seconds = UNIT_SECONDS[unit ?? ''];
  return seconds === undefined ? undefined : Number(count) * seconds;
}
