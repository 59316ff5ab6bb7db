import { z } from 'zod';
import { withErrorHint } from '../../kernel/errors/error-hints.ts';
import { WEEKDAYS } from './payout-schedule.ts';

const MAX_DELAY_DAYS = 90;

const ScheduleInput = z
  .strictObject({
    interval: z.enum(['manual', 'daily', 'weekly', 'monthly']),
    delay_days: withErrorHint(
      z.int().min(0).max(MAX_DELAY_DAYS),
      `an integer from 0 to ${MAX_DELAY_DAYS}`,
    )
      .optional()
      .meta({
        description:
          'Charges of the last days before a payout stay for the next one. @defaultValue 2',
      }),
    weekly_anchor: z
      .enum(WEEKDAYS)
      .optional()
      .meta({ description: 'The day of a weekly payout; required there, and only there.' }),
    monthly_anchor: withErrorHint(z.int().min(1).max(31), 'an integer from 1 to 31')
      .optional()
      .meta({
        description:
          'The day of a monthly payout; required there, and only there. A shorter month has its last day.',
      }),
  })
  .meta({ id: 'PayoutScheduleInput' });

export const PayoutSettingsInput = z
  .strictObject({
    payouts_enabled: z
      .boolean()
      .optional()
      .meta({ description: 'False: the account makes no payouts, automatic ones or others.' }),
    hold_new_destinations: z
      .boolean()
      .optional()
      .meta({
        description:
          'False: in live, payouts to a new bank account, or to a new default, do not wait for a day; ' +
          'those that wait are sent at once.',
      }),
    schedule: ScheduleInput.optional(),
  })
  .meta({ id: 'PayoutSettingsUpdate' });

export type PayoutScheduleInput = z.output<typeof ScheduleInput>;
export type PayoutSettingsUpdate = z.output<typeof PayoutSettingsInput>;
