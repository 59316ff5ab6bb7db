import { z } from 'zod';
import { withErrorHint } from '../../kernel/errors/error-hints.ts';
import { CurrencyInput, text } from '../../kernel/input/input.ts';
import { MetadataInput } from '../../kernel/input/metadata.ts';
import { unsettable } from '../../payments/contacts/contact-input.ts';
import { INTERVALS, MAX_INTERVALS } from './price.ts';
import { ProductDataInput } from './product-input.ts';

const MAX_UNIT_AMOUNT = 99_999_999;
/** The most days that a trial lasts. */
export const MAX_TRIAL_DAYS = 730;

export const UnitAmountInput = z
  .int()
  .min(0)
  .refine((amount) => amount <= MAX_UNIT_AMOUNT, {
    error: 'A price is at most 99,999,999 minor units.',
    params: { code: 'amount_too_large' },
  })
  .meta({
    description: 'Minor units of the currency, 0 to 99,999,999, for one unit and one period.',
    example: 1900,
    override: { maximum: MAX_UNIT_AMOUNT },
  });

/** The unit in which prices recur. */
const IntervalInput = z.enum(INTERVALS);

/** A number of days without a charge, at the beginning of a subscription. */
const TrialDaysInput = withErrorHint(
  z.int().min(1).max(MAX_TRIAL_DAYS),
  'an integer from 1 to 730',
);

export const RecurringInput = z
  .strictObject({
    interval: IntervalInput,
    interval_count: z.int().min(1).optional().meta({
      description: 'How many intervals one period has; at most three years in all. Absent: 1.',
    }),
    trial_period_days: TrialDaysInput.optional().meta({
      description: 'The trial of subscriptions that do not say their own.',
    }),
  })
  .superRefine(({ interval, interval_count: count = 1 }, context) => {
    const most = MAX_INTERVALS[interval];
    if (count <= most) return;
    const message = `A period is at most three years; send at most ${most} for ${interval}.`;
    context.addIssue({ code: 'custom', message, path: ['interval_count'] });
  })
  .meta({ id: 'RecurringInput' });

const LookupKeyInput = unsettable(text(200)).meta({
  description: 'A name by which the list finds the price, unique in the account and environment.',
});
const TransferInput = z.boolean().optional().meta({
  description: 'Takes the lookup key from the price that has it, in the same moment.',
});

const editable = {
  active: z
    .boolean()
    .optional()
    .meta({ description: 'Whether new subscriptions may use it. Those that have it keep it.' }),
  lookup_key: LookupKeyInput,
  transfer_lookup_key: TransferInput,
  nickname: unsettable(text(200)).meta({ description: 'For the merchant; payers never see it.' }),
  metadata: MetadataInput.optional(),
};

export const PriceCreateInput = z
  .strictObject({
    currency: CurrencyInput,
    unit_amount: UnitAmountInput,
    product: z.string().min(1).max(255).optional().meta({
      description: 'The id of a product. Send this or `product_data`.',
    }),
    product_data: ProductDataInput.optional(),
    recurring: RecurringInput.optional().meta({
      description: 'How often it is charged; absent: once, in an invoice item.',
    }),
    ...editable,
  })
  .meta({ id: 'PriceCreate' });

export const PriceUpdateInput = z.strictObject(editable).meta({ id: 'PriceUpdate' });

export type PriceCreate = z.output<typeof PriceCreateInput>;
export type PriceUpdate = z.output<typeof PriceUpdateInput>;
