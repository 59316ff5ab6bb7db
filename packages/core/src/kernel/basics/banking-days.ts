/** A date of the calendar: year, month 1-12, and day of the month. */
interface CalendarDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

type Weekday = 0 | 1 | 2 | 3 | 4 | 5 | 6;
const SUNDAY = 0;
const MONDAY = 1;
const THURSDAY = 4;
const SATURDAY = 6;

/** Always on this date. */
const FIXED_HOLIDAYS: readonly (readonly [month: number, day: number])[] = [
  [1, 1],
  [6, 19],
  [7, 4],
  [11, 11],
  [12, 25],
];

/** On the n-th of a weekday in a month; -1 is the last one. */
const FLOATING_HOLIDAYS: readonly (readonly [month: number, weekday: Weekday, nth: number])[] = [
  [1, MONDAY, 3],
  [2, MONDAY, 3],
  [5, MONDAY, -1],
  [9, MONDAY, 1],
  [10, MONDAY, 2],
  [11, THURSDAY, 4],
];

const DAY_MS = 86_400_000;
/**
 * In UTC, when the debits of a day are settled: the Federal Reserve settles them at 8:30 in New York,
 * which is half past twelve or half past one.
 */
const SETTLED_AT_MS = 13.5 * 3_600_000;

/**
 * Whether banks of the US work on a date: not on Saturdays, Sundays and the holidays of the Federal
 * Reserve. A holiday on a Sunday is observed on Monday; one on a Saturday on no other day.
 * Source: Federal Reserve, Holiday Schedules.
 */
export function isBankingDay({ year, month, day }: CalendarDate): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  const weekday = date.getUTCDay();
  if (weekday === SATURDAY || weekday === SUNDAY) return false;
  if (isHoliday(date)) return false;
  const before = new Date(date.getTime() - DAY_MS);
  return !(weekday === MONDAY && isHoliday(before));
}

/**
 * When what banks received at a time is settled `days` banking days later.
 * @param days 1 or more; days on which banks do not work are not counted
 * @returns the time of that day's settlement, after its morning in New York
 */
export function bankingDaysLater(from: Date, days: number): Date {
  let date = newYorkDate(from);
  let left = days;
  while (left > 0) {
    date = new Date(date.getTime() + DAY_MS);
    const facts = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1 };
    if (isBankingDay({ ...facts, day: date.getUTCDate() })) left -= 1;
  }
  return new Date(date.getTime() + SETTLED_AT_MS);
}

function isHoliday(date: Date): boolean {
  const month = date.getUTCMonth() + 1;
  const day = date.getUTCDate();
  if (FIXED_HOLIDAYS.some(([ofMonth, ofDay]) => ofMonth === month && ofDay === day)) return true;
  return FLOATING_HOLIDAYS.some(
    ([ofMonth, weekday, nth]) =>
      ofMonth === month && weekday === date.getUTCDay() && isNthOfMonth(date, nth),
  );
}

/** Whether a date is the n-th of its weekday in its month. */
function isNthOfMonth(date: Date, nth: number): boolean {
  if (nth > 0) return Math.ceil(date.getUTCDate() / 7) === nth;
  const nextWeek = new Date(date.getTime() + 7 * DAY_MS);
  return nextWeek.getUTCMonth() !== date.getUTCMonth();
}

const NEW_YORK = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/New_York' });

/** The date in New York, as midnight in UTC. */
function newYorkDate(at: Date): Date {
  return new Date(`${NEW_YORK.format(at)}T00:00:00.000Z`);
}
