export const WEEKDAYS = [
  'sunday',
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** When an account is paid out by itself. Days are days of UTC. */
export type PayoutSchedule = {
  /** Funds of the last days before a payout stay for the next one. */
  readonly delayDays: number;
} & (
  | { readonly interval: 'manual' }
  | { readonly interval: 'daily'; readonly since: Date }
  | { readonly interval: 'weekly'; readonly weeklyAnchor: Weekday; readonly since: Date }
  /** 1 to 31; the last day of a month that is shorter. */
  | { readonly interval: 'monthly'; readonly monthlyAnchor: number; readonly since: Date }
);
