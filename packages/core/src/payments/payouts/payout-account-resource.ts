import { z } from 'zod';
import { TimestampResource } from '../../kernel/basics/resource.ts';
import type { PayoutAccount } from './payout-account.ts';
import { type PayoutSchedule, WEEKDAYS } from './payout-schedule.ts';

export const PayoutScheduleResource = z
  .strictObject({
    interval: z.enum(['manual', 'daily', 'weekly', 'monthly']),
    delay_days: z.int().meta({
      description: 'Funds of the last days before an automatic payout stay for the next one.',
    }),
    weekly_anchor: z.enum(WEEKDAYS).nullable(),
    monthly_anchor: z.int().nullable(),
  })
  .meta({ id: 'PayoutSchedule' });

export const OwnAccountResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('account'),
    created: TimestampResource,
    business_profile: z.strictObject({ name: z.string() }),
    email: z.string().nullable(),
    country: z.string(),
    default_currency: z.string(),
    charges_enabled: z.boolean(),
    payouts_enabled: z.boolean(),
    settings: z.strictObject({ payouts: z.strictObject({ schedule: PayoutScheduleResource }) }),
  })
  .meta({ id: 'OwnAccount', description: 'The account of the key.' });

export type OwnAccountJson = z.output<typeof OwnAccountResource>;

/** Renders an account for its owner. */
export function toOwnAccountResource(account: PayoutAccount): OwnAccountJson {
  return {
    id: account.id,
    object: 'account',
    created: account.created.toISOString(),
    business_profile: { name: account.name },
    email: account.email,
    country: account.country,
    default_currency: account.defaultCurrency,
    charges_enabled: !account.isSuspended,
    payouts_enabled: account.payoutsEnabled && !account.isSuspended,
    settings: { payouts: { schedule: toPayoutScheduleResource(account.schedule) } },
  };
}

/** Renders a schedule. */
export function toPayoutScheduleResource(
  schedule: PayoutSchedule,
): z.output<typeof PayoutScheduleResource> {
  return {
    interval: schedule.interval,
    delay_days: schedule.delayDays,
    weekly_anchor: schedule.interval === 'weekly' ? schedule.weeklyAnchor : null,
    monthly_anchor: schedule.interval === 'monthly' ? schedule.monthlyAnchor : null,
  };
}
