import { type PayoutSchedule, WEEKDAYS } from './payout-schedule.ts';

const DAY_MS = 86_400_000;
const DAYS_OF_WEEK = 7;

/**
 * The latest moment up to now at which a schedule is due: the beginning of its day, in UTC. However
 * many moments have passed, the latest stands for all of them.
 * @returns undefined if none has passed since the schedule was set, and for `manual`
 */
export function lastDueAt(schedule: PayoutSchedule, now: Date): Date | undefined {
  if (schedule.interval === 'manual') return undefined;
  const due = dueBeginning(schedule, now.getTime(), 0);
  return due > schedule.since.getTime() ? new Date(due) : undefined;
}

/** The next moment after now at which a schedule is due; undefined for `manual`. */
export function nextDueAt(schedule: PayoutSchedule, now: Date): Date | undefined {
  if (schedule.interval === 'manual') return undefined;
  return new Date(dueBeginning(schedule, now.getTime(), 1));
}

/** What is younger than this at a due moment stays for the next payout. */
export function heldSince({ delayDays }: PayoutSchedule, due: Date): Date {
  return new Date(due.getTime() - delayDays * DAY_MS);
}

/**
 * @param steps 0: the latest due moment up to `ms`; 1: the first one after it
 * @returns milliseconds since 1970
 */
function dueBeginning(
  schedule: Exclude<PayoutSchedule, { interval: 'manual' }>,
  ms: number,
  steps: 0 | 1,
): number {
  const today = Math.floor(ms / DAY_MS) * DAY_MS;
  switch (schedule.interval) {
    case 'daily':
      return today + steps * DAY_MS;
    case 'weekly': {
      const since = new Date(today).getUTCDay() - WEEKDAYS.indexOf(schedule.weeklyAnchor);
      const days = (since + DAYS_OF_WEEK) % DAYS_OF_WEEK;
      return today + (steps * DAYS_OF_WEEK - days) * DAY_MS;
    }
    case 'monthly': {
      const date = new Date(today);
      const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
      const inThisMonth = anchorOf(year, month, schedule.monthlyAnchor);
      const isBehind = inThisMonth <= today;
      return anchorOf(year, month + (isBehind ? 0 : -1) + steps, schedule.monthlyAnchor);
    }
  }
}

/** The anchor in a month, or the last day of a month that is shorter. @param month may be outside 0 to 11 */
function anchorOf(year: number, month: number, anchor: number): number {
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(anchor, lastDay));
}
