import type { Answer } from './objects.ts';

const DAY_MS = 86_400_000;

export const INTERVALS = ['manual', 'daily', 'weekly', 'monthly'] as const;
export const WEEKDAYS = [
  ...(['sunday', 'monday', 'tuesday', 'wednesday', 'thursday'] as const),
  ...(['friday', 'saturday'] as const),
] as const;

/** When payouts are made without being asked for. */
export interface Schedule {
  readonly interval: (typeof INTERVALS)[number];
  /** Of a week, 0 to 6, or of a month, 1 to 31; otherwise 0. */
  readonly anchor: number;
  readonly delayDays: number;
}

/** How an account is paid out in euros. */
export interface PayoutPlan {
  isEnabled: boolean;
  schedule: Schedule;
  /** Due moments count only after it. */
  sinceMs: number;
  /** The last due moment that was dealt with. */
  doneMs: number;
  /** A payout that could not be made is not tried again before. */
  waitsUntilMs: number;
  /** What the next payout contains so far; it may be below zero. */
  collected: number;
  /** Before the first sale there is nothing to pay. */
  hasSold: boolean;
  /** What the bank does with automatic payouts. */
  answer: Answer;
}

export function newPlan(): PayoutPlan {
  return {
    isEnabled: true,
    schedule: { interval: 'manual', anchor: 0, delayDays: 2 },
    sinceMs: 0,
    doneMs: 0,
    waitsUntilMs: 0,
    collected: 0,
    hasSold: false,
    answer: { verdict: 'approved', isSilent: false },
  };
}

/** The latest midnight at which a payout is due and was not dealt with. */
export function dueMoment({ schedule, sinceMs, doneMs }: PayoutPlan, nowMs: number) {
  const today = nowMs - (nowMs % DAY_MS);
  for (let day = today; day > Math.max(sinceMs, doneMs); day -= DAY_MS) {
    if (isDue(schedule, new Date(day))) return day;
  }
  return undefined;
}

function isDue({ interval, anchor }: Schedule, day: Date): boolean {
  switch (interval) {
    case 'manual':
      return false;
    case 'daily':
      return true;
    case 'weekly':
      return day.getUTCDay() === anchor;
    case 'monthly': {
      const isLast = new Date(day.getTime() + DAY_MS).getUTCDate() === 1;
      return day.getUTCDate() === anchor || (isLast && day.getUTCDate() < anchor);
    }
  }
}
