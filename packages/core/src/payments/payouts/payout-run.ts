import type { Owner } from '../../kernel/basics/environment.ts';
import type { PayoutId } from '../../kernel/basics/id.ts';
import type { PayoutSchedule } from './payout-schedule.ts';
import { lastDueAt, nextDueAt } from './schedule-dates.ts';

/**
 * Why a payout that is due is not made yet. It is made within an hour after the reason is gone.
 * - `account_suspended`, `payouts_disabled`: the operator stopped them
 * - `payouts_unsupported`: the processor pays nothing out in this currency
 * - `bank_account_missing`: the currency has no bank account
 * - `bank_account_errored`: a payout to its default bank account failed
 * - `bank_account_held`: its default bank account is new, or became the default, less than a day ago
 * - `balance_insufficient`: refunds, chargebacks or other payouts took what it has collected
 */
export const PAYOUT_OBSTACLES = [
  'account_suspended',
  'payouts_disabled',
  'payouts_unsupported',
  'bank_account_missing',
  'bank_account_errored',
  'bank_account_held',
  'balance_insufficient',
] as const;
export type PayoutObstacle = (typeof PAYOUT_OBSTACLES)[number];

/**
 * The automatic payouts of an account in one environment and currency. Each collects balance
 * transactions under the id of the next payout, until that payout is made.
 */
export interface PayoutRun extends Owner {
  readonly currency: string;
  /** The id of the payout that it collects for; absent until it has collected anything. */
  readonly payoutId?: PayoutId;
  /** The net of what it has collected, in minor units; at zero or less, no payout is made. */
  readonly collected: bigint;
  /** The last due moment that it has dealt with, with or without a payout. */
  readonly lastPeriod?: Date;
  /** When to look at it next; absent with a manual schedule. */
  readonly dueAt?: Date;
  /** Why the payout that is due waits; absent if none waits. */
  readonly waitsFor?: PayoutObstacle;
}

/**
 * The latest due moment of its schedule that a run has not dealt with.
 * @returns undefined if no payout is due
 */
export function duePeriod(
  { lastPeriod }: PayoutRun,
  schedule: PayoutSchedule,
  now: Date,
): Date | undefined {
  const period = lastDueAt(schedule, now);
  if (period === undefined || lastPeriod === undefined) return period;
  return lastPeriod < period ? period : undefined;
}

/**
 * When the next payout of a run is made: what is due is made within the next minute, and what waits
 * is tried again then.
 * @returns undefined for `manual`
 */
export function nextPayoutAt(
  run: PayoutRun,
  schedule: PayoutSchedule,
  now: Date,
): Date | undefined {
  if (schedule.interval === 'manual') return undefined;
  if (run.waitsFor !== undefined) return run.dueAt;
  return duePeriod(run, schedule, now) ?? nextDueAt(schedule, now);
}
