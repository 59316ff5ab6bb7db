import { PaymountError } from '@paymount/core/kernel';
import { expect } from 'chai';
import {
  cancelSubscription,
  scheduleCancellation,
} from '../../../../packages/core/src/billing/subscriptions/cancel-subscription.ts';
import { chargeSent } from '../../../../packages/core/src/billing/subscriptions/collect-subscription.ts';
import { renewSubscription } from '../../../../packages/core/src/billing/subscriptions/renew-subscription.ts';
import type { Subscription } from '../../../../packages/core/src/billing/subscriptions/subscription.ts';
import {
  begin,
  type Change,
  change,
  create,
  INVOICE,
  linesOf,
  type Plan,
  renew,
} from './play-subscription.ts';

const at = (text: string): Date => new Date(text.length > 10 ? text : `${text}T00:00:00Z`);
const PRO: Plan = { a: ['Pro', 6_000] };
const HALF = '2030-04-16T00:00:00Z';
const trial = (): Subscription => begin({ trialEnd: '2030-04-20T00:00:00Z' });

function paused(): Subscription {
  const start = begin({ trialEnd: '2030-04-10T00:00:00Z', trialEndBehavior: 'pause' });
  const ports = { at: at('2030-04-10'), invoiceId: INVOICE, canPay: false };
  return renewSubscription(start, ports)?.subscription ?? start;
}

describe('a change of a subscription', () => {
  const INVOICING = [
    ['create_prorations', 'next'],
    ['always_invoice', 'now'],
    ['none', 'none'],
  ] as const;
  for (const [behavior, invoicing] of INVOICING) {
    it(`with ${behavior} has its lines in the invoice: ${invoicing}`, () => {
      const decision = change(begin(), { at: HALF, plan: PRO, behavior });
      expect([decision.invoicing, decision.event, decision.newPeriods]).to.deep.equal([
        invoicing,
        null,
        [],
      ]);
      const { version, items } = decision.subscription;
      expect([version, items.map(({ name }) => name)]).to.deep.equal([3, ['Pro']]);
    });
  }

  it('names the time, the item and the price of each line', () => {
    const subscription = begin();
    const { lines } = change(subscription, { at: HALF, plan: PRO });
    const itemId = subscription.items[0]?.id;
    expect(
      lines.map(({ period, isProration, subscriptionItemId, quantity }) => [
        period,
        isProration,
        subscriptionItemId,
        quantity,
      ]),
    ).to.deep.equal([
      [{ start: '2030-04-16T00:00:00.000Z', end: '2030-05-01T00:00:00.000Z' }, true, itemId, 1],
      [{ start: '2030-04-16T00:00:00.000Z', end: '2030-05-01T00:00:00.000Z' }, true, itemId, 1],
    ]);
    expect(lines[0]?.priceId).to.equal(subscription.items[0]?.priceId);
    expect(lines[1]?.priceId).to.not.equal(lines[0]?.priceId);
  });

  it('of the interval begins a new period, and ends the last one early', () => {
    const plan = { a: ['Yearly', 36_500] as const };
    const decision = change(begin(), { at: HALF, plan, interval: 'year' });
    expect(decision.movedEnd).to.deep.equal({ index: 0, end: at(HALF) });
    expect(decision.newPeriods.map(({ index, start, end }) => [index, start, end])).to.deep.equal([
      [1, at(HALF), at('2031-04-16')],
    ]);
    expect([decision.invoicing, decision.subscription.calendar.anchor]).to.deep.equal([
      'now',
      at(HALF),
    ]);
  });

  it('at the end of the period moves with that end', () => {
    const waiting = change(trial(), { at: '2030-04-10T00:00:00Z', plan: PRO, isAtPeriodEnd: true });
    const { subscription } = change(waiting.subscription, {
      at: '2030-04-11T00:00:00Z',
      trialEnd: '2030-04-25T00:00:00Z',
    });
    expect(subscription.pendingUpdate?.appliesAt).to.deep.equal(at('2030-04-25'));
    const renewal = renew(subscription);
    expect(renewal.subscription.pendingUpdate).to.equal(null);
    expect(linesOf(renewal)).to.deep.equal(['6000 1 × Pro (at 60.00 EUR / month)']);
  });

  it('that extends a trial moves its end, and keeps an anchor of its own', () => {
    const start = begin({ trialEnd: '2030-04-20T00:00:00Z', anchor: '2030-05-01T00:00:00Z' });
    const moved = change(start, { at: '2030-04-10T00:00:00Z', trialEnd: '2030-04-26T00:00:00Z' });
    expect(moved.movedEnd).to.deep.equal({ index: 0, end: at('2030-04-26') });
    expect(moved.subscription.calendar.anchor).to.deep.equal(at('2030-05-01'));
    expect(linesOf(renew(moved.subscription))).to.deep.equal([
      '500 Time on Basic from 26 Apr 2030 until 1 May 2030',
    ]);
    const later = change(start, { at: '2030-04-10T00:00:00Z', trialEnd: '2030-05-10T00:00:00Z' });
    expect(later.subscription.calendar.anchor).to.deep.equal(at('2030-05-10'));
  });

  it('while invoices become void writes nothing with always_invoice', () => {
    const subscription = {
      ...begin(),
      pauseCollection: { behavior: 'void' as const, resumesAt: null },
    };
    const decision = change(subscription, { at: HALF, plan: PRO, behavior: 'always_invoice' });
    expect(linesOf(decision)).to.deep.equal([]);
    const back = change(
      { ...decision.subscription, pauseCollection: null },
      { at: HALF, plan: { a: ['Free', 0] } },
    );
    expect(linesOf(back)).to.deep.equal(['-1500 Unused time on Basic after 16 Apr 2030']);
  });

  describe('by a process whose clock is behind that of the worker that began the period', () => {
    const renewed = (): Subscription => renew(begin()).subscription;
    const EARLY = '2030-04-30T23:59:40Z';
    const START = at('2030-05-01');

    it('begins a new period no earlier', () => {
      const decision = change(renewed(), { at: EARLY, isAnchoredNow: true });
      expect(decision.movedEnd).to.deep.equal({ index: 1, end: START });
      expect(decision.newPeriods.map(({ start, end }) => [start, end])).to.deep.equal([
        [START, at('2030-06-01')],
      ]);
      expect(linesOf(decision)).to.deep.equal([
        '-3000 Unused time on Basic after 1 May 2030',
        '3000 1 × Basic (at 30.00 EUR / month)',
      ]);
    });

    it('begins a trial no earlier', () => {
      const step = { at: EARLY, trialEnd: '2030-05-10T00:00:00Z' };
      expect(change(renewed(), step).newPeriods.map(({ start }) => start)).to.deep.equal([START]);
      expect(() => change(renewed(), { ...step, trialEnd: '2030-05-01T00:00:00Z' })).to.throw(
        'trial_end is 2030-05-01T00:00:00.000Z, which is not in the future',
      );
    });

    it('changes and ends it no earlier', () => {
      const { subscription } = change(renewed(), { at: EARLY, plan: PRO });
      expect(subscription.items[0]?.billed?.since).to.deep.equal(START);
      const end = { isProrated: false, isInvoicedNow: false, details: {} };
      const { subscription: ended } = cancelSubscription(renewed(), end, at(EARLY));
      expect(ended.status === 'canceled' && ended.endedAt).to.deep.equal(START);
      const cancelAt = at('2030-04-30T23:59:50Z');
      const ports = { at: at(EARLY), invoiceId: INVOICE };
      const scheduled = { cancelAt, prorationBehavior: 'none' } as const;
      expect(() => scheduleCancellation(renewed(), scheduled, ports)).to.throw(
        'cancel_at is 2030-04-30T23:59:50.000Z, which is not in the future',
      );
    });
  });

  it('costs no more than up to a scheduled end', () => {
    const end = { prorationBehavior: 'create_prorations', cancelAt: at('2030-05-16') } as const;
    const { subscription } = scheduleCancellation(begin({ plan: { a: ['Long', 3_100] } }), end, {
      at: at(HALF),
      invoiceId: INVOICE,
    });
    const decision = change(renew(subscription).subscription, {
      at: '2030-05-06T00:00:00Z',
      plan: { a: ['Longer', 6_200] },
    });
    expect(linesOf(decision)).to.deep.equal([
      '-1000 Unused time on Long after 6 May 2030',
      '2000 Remaining time on Longer after 6 May 2030',
    ]);
  });

  const later = (): Subscription =>
    change(begin(), { at: '2030-04-10T00:00:00Z', plan: PRO, isAtPeriodEnd: true }).subscription;
  const changed = (): Subscription => change(begin(), { at: HALF, plan: PRO }).subscription;
  const yearly = { plan: { a: ['Yearly', 36_500] as const }, interval: 'year' } as const;

  const REFUSED: readonly (readonly [
    string,
    () => Subscription,
    Change,
    string,
    string | undefined,
  ])[] = [
    [
      'of an unpaid period',
      () => create({}).subscription,
      { at: '2030-04-01T01:00:00Z', plan: PRO },
      'subscription_unpaid',
      'proration_behavior',
    ],
    [
      'of the interval of an unpaid period',
      () => create({}).subscription,
      { at: '2030-04-01T01:00:00Z', ...yearly, behavior: 'none' },
      'subscription_unpaid',
      'items',
    ],
    [
      'beside one that waits',
      later,
      { at: HALF, plan: PRO },
      'subscription_update_pending',
      'items',
    ],
    [
      'after the end of the period',
      begin,
      { at: '2030-05-01T00:00:00Z', plan: PRO },
      'subscription_renewal_due',
      undefined,
    ],
    [
      'while a charge has no known outcome',
      () => chargeSent(begin(), INVOICE),
      { at: HALF, plan: PRO },
      'operation_in_progress',
      undefined,
    ],
    [
      'for a time before the period',
      begin,
      { at: HALF, plan: PRO, date: '2030-03-31T23:59:59Z' },
      'proration_date_outside_period',
      'proration_date',
    ],
    [
      'for a time after the period',
      begin,
      { at: HALF, plan: PRO, date: '2030-05-01T00:00:00Z' },
      'proration_date_outside_period',
      'proration_date',
    ],
    [
      'for a time before the last change',
      changed,
      { at: '2030-04-20T00:00:00Z', plan: { a: ['Max', 9_000] }, date: '2030-04-15T00:00:00Z' },
      'proration_date_outside_period',
      'proration_date',
    ],
    [
      'to a period that begins in the future',
      begin,
      { at: HALF, isAnchoredNow: true, date: '2030-04-17T00:00:00Z' },
      'proration_date_outside_period',
      'proration_date',
    ],
    [
      'to a trial that ended',
      begin,
      { at: HALF, trialEnd: '2030-04-16T00:00:00Z' },
      'trial_end_in_past',
      'trial_end',
    ],
    [
      'of the anchor in a trial',
      trial,
      { at: HALF, isAnchoredNow: true },
      'parameter_invalid',
      'billing_cycle_anchor',
    ],
    [
      'of the anchor in a pause',
      paused,
      { at: HALF, isAnchoredNow: true },
      'subscription_paused',
      'billing_cycle_anchor',
    ],
    [
      'to a trial in a pause',
      paused,
      { at: HALF, trialEnd: '2030-04-20T00:00:00Z' },
      'subscription_paused',
      'trial_end',
    ],
    [
      'to an invoice that asks for too much',
      () => begin({ plan: { a: ['A', 0] } }),
      { at: HALF, isAnchoredNow: true, plan: { a: ['A', 60_000_000], b: ['B', 60_000_000] } },
      'amount_too_large',
      'items',
    ],
  ];
  for (const [what, subscription, step, code, param] of REFUSED) {
    it(`is refused ${what}`, () => {
      const start = subscription();
      let error: unknown;
      try {
        change(start, step);
      } catch (thrown) {
        error = thrown;
      }
      expect(error instanceof PaymountError && [error.code, error.param]).to.deep.equal([
        code,
        param,
      ]);
    });
  }
});
