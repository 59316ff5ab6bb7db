import { z } from 'zod';
import { livemode } from '../../kernel/basics/environment.ts';
import { TimestampResource } from '../../kernel/basics/resource.ts';
import type { PayoutAccount } from './payout-account.ts';
import { PayoutScheduleResource, toPayoutScheduleResource } from './payout-account-resource.ts';
import { nextPayoutAt, PAYOUT_OBSTACLES, type PayoutRun } from './payout-run.ts';

export const PayoutSettingsResource = z
  .strictObject({
    object: z.literal('payout_settings'),
    account: z.string(),
    payouts_enabled: z.boolean(),
    hold_new_destinations: z.boolean().meta({
      description:
        'Whether payouts to a new bank account, or to a new default, wait for a day in live.',
    }),
    schedule: PayoutScheduleResource,
    currencies: z.array(
      z.strictObject({
        livemode: z.boolean(),
        currency: z.string(),
        next_payout_at: TimestampResource.nullable(),
        waits_for: z
          .enum(PAYOUT_OBSTACLES)
          .nullable()
          .meta({
            description:
              'Why the payout that is due is not made. It is tried again every hour; with ' +
              '`balance_insufficient`, each minute.',
          }),
      }),
    ),
  })
  .meta({ id: 'PayoutSettings', description: 'How an account is paid out.' });

export type PayoutSettingsJson = z.output<typeof PayoutSettingsResource>;

/** How an account is paid out, and its state in each currency. */
export interface PayoutSettings {
  readonly account: PayoutAccount;
  readonly runs: readonly PayoutRun[];
  /** The time of which this is the state. */
  readonly at: Date;
}

/** Renders the settings for an admin. */
export function toPayoutSettingsResource({
  account,
  runs,
  at,
}: PayoutSettings): PayoutSettingsJson {
  return {
    object: 'payout_settings',
    account: account.id,
    payouts_enabled: account.payoutsEnabled,
    hold_new_destinations: account.holdsDestinations,
    schedule: toPayoutScheduleResource(account.schedule),
    currencies: runs.map((run) => ({
      livemode: livemode(run.environment),
      currency: run.currency,
      next_payout_at: nextPayoutAt(run, account.schedule, at)?.toISOString() ?? null,
      waits_for: run.waitsFor ?? null,
    })),
  };
}
