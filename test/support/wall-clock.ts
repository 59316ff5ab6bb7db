// Dates and wall clocks of time zones by `Intl` alone: what tests compare billing periods with.

const DAY_MS = 86_400_000;

export type CalendarUnit = 'day' | 'week' | 'month' | 'year';

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    calendar: 'iso8601',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(zone, format);
  return format;
}

/** What the clock on the wall shows, as if it were UTC. */
function wallAt(instant: number, zone: string): number {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/**
 * When the clock on the wall shows a time: the first time it does, if it does so twice; if it never does,
 * because the clock skips it, as much later as is skipped.
 */
function instantOf(wall: number, zone: string): number {
  const offsetBefore = wallAt(wall - DAY_MS, zone) - (wall - DAY_MS);
  const offsetAfter = wallAt(wall + DAY_MS, zone) - (wall + DAY_MS);
  const candidates = [wall - offsetBefore, wall - offsetAfter].sort((a, b) => a - b);
  const shown = candidates.find((each) => wallAt(each, zone) === wall);
  return shown ?? wall - offsetBefore;
}

/**
 * The instant that is `count` units after an anchor by the dates of a zone. The day of the month is that of
 * the anchor, or the last of a shorter month.
 */
export function later(anchor: Date, zone: string, unit: CalendarUnit, count: number): Date {
  const wall = new Date(wallAt(anchor.getTime(), zone));
  const days = unit === 'day' ? count : unit === 'week' ? 7 * count : 0;
  const months = unit === 'month' ? count : unit === 'year' ? 12 * count : 0;
  const month = wall.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(wall.getUTCFullYear(), month + 1, 0)).getUTCDate();
  const day = Math.min(wall.getUTCDate(), lastDay) + days;
  const ofDay = wall.getTime() % DAY_MS;
  const target = Date.UTC(wall.getUTCFullYear(), month, day) + ofDay;
  return new Date(instantOf(target, zone));
}
