import { newId, PaymountError } from '@paymount/core/kernel';
import { expect } from 'chai';
import {
  InvoicePreviewInput,
  SubscriptionCancelInput,
  SubscriptionCreateInput,
  SubscriptionResumeInput,
  SubscriptionUpdateInput,
} from '../../../../packages/core/src/billing/subscriptions/subscription-input.ts';
import {
  BLANK_SETTINGS,
  mergeSettings,
  toCancellation,
  toChange,
  toResumption,
  toScheduledEnd,
  trialEndOf,
} from '../../../../packages/core/src/billing/subscriptions/subscription-parameters.ts';

const NOW = new Date('2030-04-01T00:00:00Z');
const PERIOD = { end: new Date('2030-05-01T00:00:00Z') };
const ITEMS = { items: [], interval: 'month', intervalCount: 1 } as const;
const CREATE = { customer: 'cus_1', items: [{ price: 'price_1' }] };
const trial = { priceDays: null, timezone: 'UTC', now: NOW };

const update = (input: unknown) => SubscriptionUpdateInput.parse(input);
const create = (input: object) => SubscriptionCreateInput.parse({ ...CREATE, ...input });

function codeOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    if (error instanceof PaymountError) return [error.code, error.param];
    throw error;
  }
  return undefined;
}

/** The paths that a schema refuses. */
function refusedBy(
  schema: typeof SubscriptionCreateInput | typeof SubscriptionUpdateInput,
  input: unknown,
) {
  const { error } = schema.safeParse(input);
  return error?.issues.map(({ path, code }) => [path.join('.'), code]);
}

describe('the parameters of a subscription', () => {
  it('are those of the official SDKs', () => {
    const input = create({
      items: [
        {
          price_data: {
            currency: 'EUR',
            product: 'prod_1',
            unit_amount: 100,
            recurring: { interval: 'month' },
          },
          quantity: 3,
        },
      ],
      backdate_start_date: 1_900_000_000,
      billing_cycle_anchor: '2030-04-15T00:00:00.750Z',
      billing_timezone: 'Europe/Berlin',
      cancel_at: 'max_period_end',
      collection_method: 'send_invoice',
      days_until_due: 30,
      off_session: true,
      payment_behavior: 'default_incomplete',
      proration_behavior: 'none',
      trial_settings: { end_behavior: { missing_payment_method: 'pause' } },
    });
    expect(input.items[0]?.price_data?.currency).to.equal('eur');
    expect(input.billing_cycle_anchor).to.deep.equal(new Date('2030-04-15T00:00:00Z'));
    expect(input.backdate_start_date).to.deep.equal(new Date('2030-03-17T17:46:40Z'));
  });

  it('take the anchor as a word and as the object of newer SDKs', () => {
    expect(update({ billing_cycle_anchor: 'now' }).billing_cycle_anchor).to.equal('now');
    expect(update({ billing_cycle_anchor: { type: 'now' } }).billing_cycle_anchor).to.equal('now');
    expect(toResumption(SubscriptionResumeInput.parse({}))).to.deep.equal({
      anchor: 'now',
      prorationBehavior: 'create_prorations',
    });
    const resume = SubscriptionResumeInput.parse({ billing_cycle_anchor: { type: 'unchanged' } });
    expect(toResumption(resume).anchor).to.equal('unchanged');
  });

  it('of a preview are those of a change', () => {
    const { subscription_details: details } = InvoicePreviewInput.parse({
      subscription: 'sub_1',
      subscription_details: { items: [{ id: 'si_1', quantity: 2 }], proration_date: 1_900_000_000 },
    });
    expect(details?.items?.[0]?.quantity).to.equal(2);
  });

  const UNKNOWN = [
    [{ ...CREATE, coupon: 'x' }, [['', 'unrecognized_keys']]],
    [{ ...CREATE, items: [] }, [['items', 'too_small']]],
    [
      { ...CREATE, items: [{ price: 'p', quantity: 1_000_000 }] },
      [['items.0.quantity', 'too_big']],
    ],
    [{ ...CREATE, items: [{ price: 'p', quantity: -1 }] }, [['items.0.quantity', 'too_small']]],
    [{ ...CREATE, billing_timezone: '+02:00' }, [['billing_timezone', 'custom']]],
    [{ ...CREATE, trial_period_days: 731 }, [['trial_period_days', 'too_big']]],
    [{ ...CREATE, items: [{ id: 'si_1' }] }, [['items.0', 'unrecognized_keys']]],
  ] as const;
  for (const [input, issues] of UNKNOWN) {
    it(`refuse ${JSON.stringify(issues)}`, () => {
      expect(refusedBy(SubscriptionCreateInput, input)).to.deep.equal(issues);
    });
  }

  it('take either a price or the data of one', () => {
    const data = { currency: 'eur', product: 'p', unit_amount: 1, recurring: { interval: 'day' } };
    const items = [{ price: 'price_1', price_data: data }];
    expect(refusedBy(SubscriptionUpdateInput, { items })).to.deep.equal([
      ['items.0.price_data', 'custom'],
    ]);
  });
});

describe('the trial of a new subscription', () => {
  it('is that of the request, or of its prices', () => {
    const ends = [
      trialEndOf(create({}), trial),
      trialEndOf(create({}), { ...trial, priceDays: 7 }),
      trialEndOf(create({ trial_period_days: 14 }), { ...trial, priceDays: 7 }),
      trialEndOf(create({ trial_period_days: 0 }), { ...trial, priceDays: 7 }),
      trialEndOf(create({ trial_end: 'now' }), { ...trial, priceDays: 7 }),
      trialEndOf(create({ trial_end: '2030-04-20T00:00:00Z' }), { ...trial, priceDays: 7 }),
    ];
    expect(ends.map((end) => end?.toISOString() ?? null)).to.deep.equal([
      null,
      '2030-04-08T00:00:00.000Z',
      '2030-04-15T00:00:00.000Z',
      null,
      null,
      '2030-04-20T00:00:00.000Z',
    ]);
  });

  it('ends at the same time of the day where clocks change', () => {
    const berlin = { ...trial, timezone: 'Europe/Berlin', now: new Date('2030-03-30T12:00:00Z') };
    expect(trialEndOf(create({ trial_period_days: 1 }), berlin)).to.deep.equal(
      new Date('2030-03-31T11:00:00Z'),
    );
  });

  it('has one end', () => {
    const both = create({ trial_period_days: 1, trial_end: 'now' });
    expect(codeOf(() => trialEndOf(both, trial))).to.deep.equal([
      'parameters_exclusive',
      'trial_period_days',
    ]);
  });
});

describe('an update', () => {
  it('says what changes', () => {
    expect(toChange(update({}), undefined)).to.deep.equal({
      prorationBehavior: 'create_prorations',
    });
    expect(
      toChange(update({ trial_end: 'now', proration_behavior: 'none', pending_update: '' }), ITEMS),
    ).to.deep.equal({
      items: ITEMS,
      trialEnd: 'now',
      prorationBehavior: 'none',
      dropsPending: true,
    });
  });

  it('at the end of the period has items, and no prorations', () => {
    const items = [{ id: 'si_1', quantity: 2 }];
    const later = { apply_at: 'period_end', items };
    expect(toChange(update(later), ITEMS).isAtPeriodEnd).to.equal(true);
    const REFUSED = [
      [{ apply_at: 'period_end' }, 'parameter_missing', 'items'],
      [{ ...later, proration_behavior: 'none' }, 'parameters_exclusive', 'proration_behavior'],
      [{ ...later, proration_date: 1_900_000_000 }, 'parameters_exclusive', 'proration_date'],
      [{ ...later, trial_end: 'now' }, 'parameters_exclusive', 'trial_end'],
      [{ ...later, billing_cycle_anchor: 'now' }, 'parameters_exclusive', 'billing_cycle_anchor'],
    ] as const;
    for (const [input, code, param] of REFUSED) {
      expect(codeOf(() => toChange(update(input), ITEMS))).to.deep.equal([code, param]);
    }
  });

  it('says when the subscription ends', () => {
    const ends = [
      {},
      { cancel_at_period_end: true },
      { cancel_at: 'min_period_end' },
      { cancel_at: '' },
      { cancel_at: '2030-06-01T00:00:00Z' },
    ].map((input) => toScheduledEnd(update(input), PERIOD));
    expect(ends.map((end) => end && [end.cancelAt, end.isAtPeriodEnd])).to.deep.equal([
      null,
      [undefined, true],
      [PERIOD.end, undefined],
      [null, undefined],
      [new Date('2030-06-01T00:00:00Z'), undefined],
    ]);
    const both = update({ cancel_at: '2030-06-01T00:00:00Z', cancel_at_period_end: true });
    expect(codeOf(() => toScheduledEnd(both, PERIOD))).to.deep.equal([
      'parameters_exclusive',
      'cancel_at_period_end',
    ]);
  });

  it('changes settings, and keeps the others', () => {
    const methodId = newId('pm');
    const settings = mergeSettings(
      BLANK_SETTINGS,
      update({
        description: 'For a year',
        metadata: { a: 'b' },
        collection_method: 'send_invoice',
        days_until_due: 14,
        pause_collection: { behavior: 'void', resumes_at: '2030-04-02T00:00:00Z' },
      }),
      { methodId, now: NOW },
    );
    expect(settings).to.deep.equal({
      collectionMethod: 'send_invoice',
      daysUntilDue: 14,
      defaultPaymentMethodId: methodId,
      description: 'For a year',
      metadata: { a: 'b' },
      trialEndBehavior: 'create_invoice',
      pauseCollection: { behavior: 'void', resumesAt: new Date('2030-04-02T00:00:00Z') },
    });
    const back = update({ collection_method: 'charge_automatically', pause_collection: '' });
    expect(mergeSettings(settings, back, { now: NOW })).to.deep.include({
      daysUntilDue: null,
      defaultPaymentMethodId: methodId,
      pauseCollection: null,
    });
  });

  const REFUSED = [
    [{ collection_method: 'send_invoice' }, 'parameter_missing', 'days_until_due'],
    [{ days_until_due: 3 }, 'parameter_invalid', 'days_until_due'],
    [
      { pause_collection: { behavior: 'void', resumes_at: '2030-04-01T00:00:00Z' } },
      'parameter_invalid',
      'pause_collection[resumes_at]',
    ],
  ] as const;
  for (const [input, code, param] of REFUSED) {
    it(`is refused with ${JSON.stringify(input)}`, () => {
      expect(
        codeOf(() => mergeSettings(BLANK_SETTINGS, update(input), { now: NOW })),
      ).to.deep.equal([code, param]);
    });
  }
});

describe('the parameters of a cancellation', () => {
  it('are what the customer said, and what is done with the time', () => {
    const input = SubscriptionCancelInput.parse({
      prorate: true,
      cancellation_details: { comment: '', feedback: 'unused' },
    });
    expect(toCancellation(input)).to.deep.equal({
      isProrated: true,
      isInvoicedNow: false,
      details: { comment: null, feedback: 'unused' },
    });
  });
});
