import { z } from 'zod';
import { withErrorHint } from '../../kernel/errors/error-hints.ts';
import { CurrencyInput, MomentInput, shownAsTime, text } from '../../kernel/input/input.ts';
import { MetadataInput } from '../../kernel/input/metadata.ts';
import { unsettable } from '../../payments/contacts/contact-input.ts';
import { MAX_TRIAL_DAYS, RecurringInput, UnitAmountInput } from '../prices/price-input.ts';
import { isTimezone } from './billing-calendar.ts';
import { FEEDBACKS, MAX_ITEMS, MAX_QUANTITY, wholeSecond } from './subscription.ts';

const MAX_DAYS_UNTIL_DUE = 365;

export const IdInput = z.string().min(1).max(255);

/** A moment in whole seconds, as all times of billing are. */
const TimeInput = MomentInput.transform(wholeSecond).meta({
  description: 'ISO 8601 with a zone, or unix seconds; parts of a second are cut off.',
  override: shownAsTime,
});

/** A time, or a word in its place. The document shows a text, because generated clients want one type. */
function timeOr<const Word extends string>(words: readonly Word[], description: string) {
  return z.union([z.enum(words), TimeInput]).meta({
    description,
    override: shownAsText,
  });
}

function shownAsText({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  delete jsonSchema.anyOf;
  Object.assign(jsonSchema, { type: 'string' });
}

const ProrationBehaviorInput = z
  .enum(['create_prorations', 'always_invoice', 'none'])
  .optional()
  .meta({
    description:
      'Whether the lines of a change wait for the next invoice (the default), are invoiced now, or are not written.',
  });

const PaymentBehaviorInput = z
  .enum(['allow_incomplete', 'default_incomplete', 'error_if_incomplete'])
  .optional()
  .meta({
    description:
      'What happens if the invoice is not paid at once: it stays open (the default), no attempt is made, or the request fails with 402.',
  });

const ANCHORS = ['now', 'unchanged'] as const;

/** Stripe's older packages send the word, newer ones the object. */
const AnchorInput = z
  .union([z.enum(ANCHORS), z.strictObject({ type: z.enum(ANCHORS) }).transform(({ type }) => type)])
  .meta({
    description:
      '`now`: a new period begins now, and all later ones follow from it. Also taken as `type` of an object.',
    override: ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) => {
      delete jsonSchema.anyOf;
      Object.assign(jsonSchema, { type: 'string', enum: ANCHORS });
    },
  });

const QuantityInput = withErrorHint(
  z.int().min(0).max(MAX_QUANTITY),
  'an integer from 0 to 999,999',
).optional();

const ItemPriceDataInput = z
  .strictObject({
    currency: CurrencyInput,
    product: IdInput.meta({ description: 'The id of a product.' }),
    unit_amount: UnitAmountInput,
    recurring: RecurringInput,
  })
  .meta({ id: 'ItemPriceData', description: 'A price that is made together with the item.' });

/** What an item of a subscription is made of. */
export const ITEM_FIELDS = {
  price: IdInput.optional().meta({ description: 'The id of a recurring price.' }),
  price_data: ItemPriceDataInput.optional(),
  quantity: QuantityInput,
  metadata: MetadataInput.optional(),
};

const NewItemInput = z
  .strictObject(ITEM_FIELDS)
  .superRefine(assertOnePrice)
  .meta({ id: 'SubscriptionItemCreate' });

const ItemInput = z
  .strictObject({
    id: IdInput.optional().meta({ description: 'The item to change; absent: one is added.' }),
    deleted: z.boolean().optional().meta({ description: 'Removes the item.' }),
    ...ITEM_FIELDS,
  })
  .superRefine(assertOnePrice)
  .meta({ id: 'SubscriptionItemChange' });

function assertOnePrice(
  { price, price_data: data }: { readonly price?: unknown; readonly price_data?: unknown },
  context: z.core.$RefinementCtx,
): void {
  if (price === undefined || data === undefined) return;
  const message = 'Send either price or price_data, not both.';
  const params = { code: 'parameters_exclusive' };
  context.addIssue({ code: 'custom', message, path: ['price_data'], params });
}

const CancellationDetailsInput = z
  .strictObject({
    comment: unsettable(text(5_000)).meta({ description: 'In the words of the customer.' }),
    feedback: unsettable(z.enum(FEEDBACKS)),
  })
  .optional()
  .meta({ id: 'CancellationDetailsInput' });

const TrialSettingsInput = z
  .strictObject({
    end_behavior: z.strictObject({
      missing_payment_method: z.enum(['create_invoice', 'cancel', 'pause']),
    }),
  })
  .optional()
  .meta({
    id: 'TrialSettingsInput',
    description: 'What happens at the end of a trial if there is no payment method.',
  });

const PauseCollectionInput = unsettable(
  z
    .strictObject({
      behavior: z.enum(['void', 'keep_as_draft', 'mark_uncollectible']),
      resumes_at: TimeInput.optional(),
    })
    .meta({ id: 'PauseCollectionInput' }),
).meta({
  description:
    'What is done with invoices while no money is collected. Empty: it is collected again.',
});

const CancelAtInput = timeOr(
  ['', 'min_period_end', 'max_period_end'],
  'When it ends: a time, or the end of the current period. Empty: it continues.',
);

const TimezoneInput = z
  .string()
  .max(100)
  .refine(isTimezone, { error: 'A zone is a name of the IANA database, such as Europe/Berlin.' })
  .meta({ description: 'The zone in which periods keep day and time; the default is UTC.' });

/** These may change at any time. */
const settings = {
  cancel_at_period_end: z.boolean().optional(),
  collection_method: z.enum(['charge_automatically', 'send_invoice']).optional(),
  days_until_due: z.int().min(0).max(MAX_DAYS_UNTIL_DUE).optional().meta({
    description:
      'Days in which an invoice is to be paid; only with `send_invoice`, and needed there.',
  }),
  default_payment_method: unsettable(IdInput).meta({
    description: 'The id of a payment method of the customer. Empty: its default pays.',
  }),
  description: unsettable(text(1_000)),
  metadata: MetadataInput.optional(),
  off_session: z.boolean().optional().meta({
    description: 'The payer is absent, and cannot authenticate. Absent: the payer is there.',
  }),
  payment_behavior: PaymentBehaviorInput,
  proration_behavior: ProrationBehaviorInput,
  trial_settings: TrialSettingsInput,
};

export const SubscriptionCreateInput = z
  .strictObject({
    customer: IdInput,
    items: z.array(NewItemInput).min(1).max(MAX_ITEMS),
    ...settings,
    backdate_start_date: TimeInput.optional().meta({
      description: 'A time in the past; the time since then is in the first invoice.',
    }),
    billing_cycle_anchor: TimeInput.optional().meta({
      description: 'When full periods begin, at most one interval ahead.',
    }),
    billing_timezone: TimezoneInput.optional(),
    cancel_at: CancelAtInput.optional(),
    trial_period_days: withErrorHint(
      z.int().min(0).max(MAX_TRIAL_DAYS),
      'an integer from 0 to 730',
    ).optional(),
    trial_end: timeOr(['now'], 'When the trial ends; `now`: there is none.').optional(),
  })
  .meta({ id: 'SubscriptionCreate' });

export const SubscriptionUpdateInput = z
  .strictObject({
    items: z
      .array(ItemInput)
      .min(1)
      .max(2 * MAX_ITEMS)
      .optional(),
    ...settings,
    apply_at: z.enum(['now', 'period_end']).optional().meta({
      description: 'When the items change; at the end of the current period nothing is prorated.',
    }),
    billing_cycle_anchor: AnchorInput.optional(),
    cancel_at: CancelAtInput.optional(),
    cancellation_details: CancellationDetailsInput,
    pause_collection: PauseCollectionInput,
    pending_update: z.literal('').optional().meta({
      description: 'Empty: the change that waits for the end of the period is dropped.',
    }),
    proration_date: TimeInput.optional().meta({
      description: 'The time that prorations are computed for, as a preview showed them.',
    }),
    trial_end: timeOr(['now'], 'When the trial ends; `now` ends it.').optional(),
  })
  .meta({ id: 'SubscriptionUpdate' });

export const SubscriptionCancelInput = z
  .strictObject({
    cancellation_details: CancellationDetailsInput,
    invoice_now: z.boolean().optional().meta({
      description: 'What waits for the next invoice is invoiced now; open invoices stay open.',
    }),
    prorate: z.boolean().optional().meta({
      description:
        'Unused time is given back: it waits for the next invoice, or goes to the balance with `invoice_now`.',
    }),
  })
  .meta({ id: 'SubscriptionCancel' });

export const SubscriptionResumeInput = z
  .strictObject({
    billing_cycle_anchor: AnchorInput.optional(),
    proration_behavior: ProrationBehaviorInput,
  })
  .meta({ id: 'SubscriptionResume' });

/** What a preview computes: the next invoice, or that of a change or of a new subscription. */
export const InvoicePreviewInput = z
  .strictObject({
    customer: IdInput.optional(),
    subscription: IdInput.optional(),
    subscription_details: z
      .strictObject({
        items: z
          .array(ItemInput)
          .min(1)
          .max(2 * MAX_ITEMS)
          .optional(),
        billing_cycle_anchor: z.union([AnchorInput, TimeInput]).optional().meta({
          description: '`now` or `unchanged` for a change; a time for a new subscription.',
          override: shownAsText,
        }),
        cancel_at: CancelAtInput.optional(),
        cancel_at_period_end: z.boolean().optional(),
        cancel_now: z.boolean().optional(),
        proration_behavior: ProrationBehaviorInput,
        proration_date: TimeInput.optional(),
        resume_at: z.literal('now').optional(),
        start_date: TimeInput.optional(),
        trial_end: timeOr(['now'], 'When the trial ends; `now`: there is none.').optional(),
      })
      .optional(),
  })
  .meta({ id: 'InvoicePreview' });

export type ItemInput = z.output<typeof ItemInput>;
export type SubscriptionCreate = z.output<typeof SubscriptionCreateInput>;
export type SubscriptionUpdate = z.output<typeof SubscriptionUpdateInput>;
export type SubscriptionCancel = z.output<typeof SubscriptionCancelInput>;
export type SubscriptionResume = z.output<typeof SubscriptionResumeInput>;
export type InvoicePreview = z.output<typeof InvoicePreviewInput>;
