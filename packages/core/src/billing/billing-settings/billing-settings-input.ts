import { z } from 'zod';
import { withErrorHint } from '../../kernel/errors/error-hints.ts';
import { AFTER_LAST_ATTEMPT, CATCH_UP, MAX_CHARGES_PER_SECOND } from './billing-settings.ts';

export const BillingSettingsInput = z
  .strictObject({
    after_last_attempt: z
      .enum(AFTER_LAST_ATTEMPT)
      .optional()
      .meta({
        description:
          'What happens to a subscription that was not paid until the last day: `cancel` ends it; ' +
          '`leave_unpaid` keeps it as `unpaid`, and bills no more periods until its invoice is paid.',
      }),
    catch_up: z
      .enum(CATCH_UP)
      .optional()
      .meta({
        description:
          'Which periods are charged if several of a subscription were missed: `bill_all`: each, the ' +
          'oldest first; `bill_latest`: the newest, and the invoices of older ones are void.',
      }),
    cancel_on_dispute: z.boolean().optional().meta({
      description: 'Whether a dispute that is lost about a charge of a subscription ends it.',
    }),
    charges_per_second: withErrorHint(
      z.int().min(1).max(MAX_CHARGES_PER_SECOND),
      `an integer from 1 to ${MAX_CHARGES_PER_SECOND}`,
    )
      .optional()
      .meta({
        description:
          'As many subscriptions and as many invoices of the account each worker bills in a second. ' +
          'Only admins change it.',
      }),
  })
  .meta({ id: 'BillingSettingsUpdate' });

export type BillingSettingsUpdate = z.output<typeof BillingSettingsInput>;
