import { z } from 'zod';
import { AFTER_LAST_ATTEMPT, type BillingSettings, CATCH_UP } from './billing-settings.ts';

export const BillingSettingsResource = z
  .strictObject({
    object: z.literal('billing_settings'),
    account: z.string(),
    after_last_attempt: z.enum(AFTER_LAST_ATTEMPT).meta({
      description: 'What happens to a subscription that was not paid until the last day.',
    }),
    catch_up: z.enum(CATCH_UP).meta({
      description: 'Which periods are charged if several of a subscription were missed.',
    }),
    cancel_on_dispute: z.boolean().meta({
      description: 'Whether a dispute that is lost about a charge of a subscription ends it.',
    }),
    charges_per_second: z.int().meta({
      description:
        'As many subscriptions and as many invoices of the account each worker bills in a second.',
    }),
  })
  .meta({ id: 'BillingSettings', description: 'How the subscriptions of an account are billed.' });

export type BillingSettingsJson = z.output<typeof BillingSettingsResource>;

/** Renders the settings. */
export function toBillingSettingsResource(settings: BillingSettings): BillingSettingsJson {
  return {
    object: 'billing_settings',
    account: settings.accountId,
    after_last_attempt: settings.afterLastAttempt,
    catch_up: settings.catchUp,
    cancel_on_dispute: settings.cancelsOnDispute,
    charges_per_second: settings.chargesPerSecond,
  };
}
