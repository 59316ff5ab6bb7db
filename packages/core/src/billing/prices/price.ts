import type { Owner } from '../../kernel/basics/environment.ts';
import type { PriceId, ProductId } from '../../kernel/basics/id.ts';

/** The units in which prices recur. */
export const INTERVALS = ['day', 'week', 'month', 'year'] as const;
export type Interval = (typeof INTERVALS)[number];

/** The most intervals that one period has: three years. */
export const MAX_INTERVALS: Readonly<Record<Interval, number>> = {
  day: 1095,
  week: 156,
  month: 36,
  year: 3,
};

/** How often a price is charged. */
export interface Recurring {
  readonly interval: Interval;
  /** How many of them a period has; all periods are at most three years long. */
  readonly intervalCount: number;
  /** The trial of subscriptions that do not say their own; null: none. */
  readonly trialPeriodDays: number | null;
}

/** The fields that a caller may change. */
export interface PriceEdit {
  /** New subscriptions may use it. Those that have it keep it. */
  readonly active: boolean;
  /** A name by which callers find it; unique in an account and environment. */
  readonly lookupKey: string | null;
  readonly nickname: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** What one unit of a product costs, once or every period. Amount, currency and interval never change. */
export interface Price extends Owner, PriceEdit {
  readonly id: PriceId;
  readonly version: number;
  readonly productId: ProductId;
  readonly currency: string;
  /** Minor units. */
  readonly unitAmount: number;
  /** Null: it is charged once. */
  readonly recurring: Recurring | null;
  readonly created: Date;
}

/** The price with the next version. */
export function changedPrice(price: Price, edit: Partial<PriceEdit>): Price {
  return { ...price, ...edit, version: price.version + 1 };
}
