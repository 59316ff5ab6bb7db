import { PaymountError } from '@paymount/core/kernel';
import { expect } from 'chai';
import {
  type Cancellation,
  cancelDue,
  cancelSubscription,
  expireIncomplete,
  type ScheduledEnd,
  scheduleCancellation,
} from '../../../../packages/core/src/billing/subscriptions/cancel-subscription.ts';
import { chargeSent } from '../../../../packages/core/src/billing/subscriptions/collect-subscription.ts';
import type { Subscription } from '../../../../packages/core/src/billing/subscriptions/subscription.ts';
import { begin, change, create, INVOICE, linesOf, type Plan, renew } from './play-subscription.ts';

const at = (text: string): Date => new Date(text.length > 10 ? text : `${text}T00:00:00Z`);

function cancel(subscription: Subscription, time: string, how: Partial<Cancellation> = {}) {
  const asked = { isProrated: false, isInvoicedNow: false, details: {}, ...how };
  return cancelSubscription(subscription, asked, at(time));
}

function schedule(subscription: Subscription, time: string, end: Partial<ScheduledEnd>) {
  const ports = { at: at(time), invoiceId: INVOICE };
  return scheduleCancellation(
    subscription,
    { prorationBehavior: 'create_prorations', ...end },
    ports,
  );
}

function codeOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    if (error instanceof PaymountError) return [error.code, error.param];
    throw error;
  }
  return undefined;
}

describe('a cancellation now', () => {
  it('gives nothing back, and lets open invoices become void', () => {
    const decision = cancel(begin(), '2030-04-16', { details: { feedback: 'unused' } });
    const { subscription, event, invoicing, openInvoices } = decision;
    expect([subscription.status, event]).to.deep.equal(['canceled', 'subscription.canceled']);
    expect([linesOf(decision), invoicing, openInvoices]).to.deep.equal([[], 'none', 'void']);
    expect(subscription.cancellation).to.deep.equal({
      reason: 'cancellation_requested',
      comment: null,
      feedback: 'unused',
    });
    expect([subscription.canceledAt, subscription.nextActionAt]).to.deep.equal([
      at('2030-04-16'),
      null,
    ]);
  });

  it('gives unused time back if that is asked for, at the next invoice', () => {
    const decision = cancel(begin(), '2030-04-16', { isProrated: true });
    expect(linesOf(decision)).to.deep.equal(['-1500 Unused time on Basic after 16 Apr 2030']);
    expect(decision.invoicing).to.equal('next');
  });

  it('invoices what waits, if that is asked for, and keeps open invoices', () => {
    const decision = cancel(begin(), '2030-04-16', { isProrated: true, isInvoicedNow: true });
    expect([decision.invoicing, decision.openInvoices]).to.deep.equal(['now', 'keep']);
    const empty = cancel(begin(), '2030-04-16', { isInvoicedNow: true });
    expect([empty.lines, empty.invoicing]).to.deep.equal([[], 'now']);
  });

  it('in a trial bills nothing and gives nothing back', () => {
    const trial = begin({ trialEnd: '2030-04-15T00:00:00Z' });
    const decision = cancel(trial, '2030-04-10', { isProrated: true, isInvoicedNow: true });
    expect([decision.lines, decision.invoicing, decision.event]).to.deep.equal([
      [],
      'none',
      'subscription.canceled',
    ]);
  });

  it('in time that was free gives nothing back', () => {
    const free = begin({
      at: '2030-04-16T00:00:00Z',
      anchor: '2030-05-01T00:00:00Z',
      behavior: 'none',
    });
    expect(cancel(free, '2030-04-20', { isProrated: true }).lines).to.deep.equal([]);
  });

  it('gives back what was billed after a change without prorations, not the new price', () => {
    const plan = { a: ['Pro', 6_000] as const };
    const { subscription } = change(begin(), {
      at: '2030-04-11T00:00:00Z',
      plan,
      behavior: 'none',
    });
    const decision = cancel(subscription, '2030-04-16', { isProrated: true });
    expect(linesOf(decision)).to.deep.equal(['-1500 Unused time on Basic after 16 Apr 2030']);
  });

  it('gives back no more than was billed after a change that was prorated from a later time on', () => {
    const later = change(begin(), {
      at: '2030-04-10T00:00:00Z',
      date: '2030-04-21T00:00:00Z',
      plan: { a: ['Pro', 6_000] },
    });
    const plan = { a: ['Max', 9_000] as const };
    const { subscription, ...next } = change(later.subscription, {
      at: '2030-04-11T00:00:00Z',
      plan,
    });
    expect(linesOf(next)).to.deep.equal([
      '-2000 Unused time on Pro after 21 Apr 2030',
      '3000 Remaining time on Max after 21 Apr 2030',
    ]);
    const decision = cancel(subscription, '2030-04-12', { isProrated: true });
    expect(linesOf(decision)).to.deep.equal(['-3000 Unused time on Max after 21 Apr 2030']);
  });

  it('before the first payment expires the subscription without an event', () => {
    const { subscription, event } = cancel(create({}).subscription, '2030-04-01T01:00:00Z');
    expect([subscription.status, event]).to.deep.equal(['incomplete_expired', null]);
  });

  it('is refused twice', () => {
    const { subscription } = cancel(begin(), '2030-04-16');
    expect(codeOf(() => cancel(subscription, '2030-04-17'))).to.deep.equal([
      'subscription_canceled',
      undefined,
    ]);
    const plan = { a: ['Pro', 6_000] as const };
    expect(codeOf(() => change(subscription, { at: '2030-04-17T00:00:00Z', plan }))).to.deep.equal([
      'subscription_canceled',
      undefined,
    ]);
  });

  it('cannot give back what is not paid', () => {
    const { subscription } = create({});
    expect(
      codeOf(() => cancel(subscription, '2030-04-01T01:00:00Z', { isProrated: true })),
    ).to.deep.equal(['subscription_unpaid', 'prorate']);
  });
});

/** All that was billed was paid. */
const dueAt = (subscription: Subscription, time: Date) =>
  cancelDue(subscription, subscription, time);

describe('a cancellation that is scheduled', () => {
  it('at the end of the period comes before the renewal', () => {
    const { subscription, event } = schedule(begin(), '2030-04-10', { isAtPeriodEnd: true });
    expect([subscription.status, event, subscription.canceledAt]).to.deep.equal([
      'active',
      null,
      at('2030-04-10'),
    ]);
    expect(subscription.nextActionAt).to.deep.equal(at('2030-05-01'));
    expect(() => renew(subscription)).to.throw('No renewal is due.');
    expect(dueAt(subscription, at('2030-04-30T23:59:59Z'))).to.equal(null);
    const ended = dueAt(subscription, at('2030-05-03'));
    expect([ended?.subscription.status, ended?.event, ended?.lines]).to.deep.equal([
      'canceled',
      'subscription.canceled',
      [],
    ]);
    const { subscription: last } = ended ?? {};
    expect(last?.status === 'canceled' && last.endedAt).to.deep.equal(at('2030-05-01'));
  });

  it('can be dropped', () => {
    const flagged = schedule(begin(), '2030-04-10', { isAtPeriodEnd: true }).subscription;
    const { subscription } = schedule(flagged, '2030-04-11', { isAtPeriodEnd: false });
    const { canceledAt, cancelAtPeriodEnd, cancellation } = subscription;
    expect([canceledAt, cancelAtPeriodEnd, cancellation.reason]).to.deep.equal([null, false, null]);
    expect(linesOf(renew(subscription))).to.have.length(1);
  });

  const BEHAVIORS = [
    ['create_prorations', ['-1000 Unused time on Basic after 21 Apr 2030'], 'next'],
    ['always_invoice', ['-1000 Unused time on Basic after 21 Apr 2030'], 'now'],
    ['none', [], 'none'],
  ] as const;
  for (const [prorationBehavior, lines, invoicing] of BEHAVIORS) {
    it(`within a billed period ends there with ${prorationBehavior}`, () => {
      const cancelAt = at('2030-04-21');
      const { subscription } = schedule(begin(), '2030-04-10', { cancelAt, prorationBehavior });
      const ended = dueAt(subscription, at('2030-04-25'));
      expect([linesOf(ended ?? { lines: [] }), ended?.invoicing]).to.deep.equal([lines, invoicing]);
    });
  }

  it('for a later period lets that be billed up to it, and gives nothing back', () => {
    const start = begin({ plan: { a: ['Long', 3_100] } });
    const cancelAt = at('2030-05-11');
    const { subscription } = renew(schedule(start, '2030-04-10', { cancelAt }).subscription);
    const ended = dueAt(subscription, cancelAt);
    expect([ended?.subscription.status, ended?.lines]).to.deep.equal(['canceled', []]);
  });

  it('that moves lets the time between be billed', () => {
    const start = begin({ plan: { a: ['Long', 3_100] } });
    const { subscription } = renew(
      schedule(start, '2030-04-10', { cancelAt: at('2030-05-11') }).subscription,
    );
    const moved = schedule(subscription, '2030-05-05', { cancelAt: at('2030-05-21') });
    expect([linesOf(moved), moved.invoicing]).to.deep.equal([
      ['1000 Remaining time on Long after 11 May 2030'],
      'next',
    ]);
    const dropped = schedule(moved.subscription, '2030-05-06', { cancelAt: null });
    expect(linesOf(dropped)).to.deep.equal(['1100 Remaining time on Long after 21 May 2030']);
    expect(linesOf(cancel(dropped.subscription, '2030-05-31', { isProrated: true }))).to.deep.equal(
      ['-100 Unused time on Long after 31 May 2030'],
    );
  });

  describe('and moves after a change without prorations', () => {
    const untilMay = () =>
      renew(
        schedule(begin({ plan: { a: ['Long', 3_100, 10] } }), '2030-04-10', {
          cancelAt: at('2030-05-11'),
        }).subscription,
      ).subscription;
    const dropped = (plan: Plan) => {
      const step = { at: '2030-05-05T00:00:00Z', plan, behavior: 'none' } as const;
      return schedule(change(untilMay(), step).subscription, '2030-05-06', { cancelAt: null });
    };

    it('bills the time between as the plan is then', () => {
      const moved = dropped({ a: ['Long', 3_100] });
      expect(linesOf(moved)).to.deep.equal(['2100 Remaining time on Long after 11 May 2030']);
      const ended = cancel(moved.subscription, '2030-05-08', { isProrated: true });
      expect(linesOf(ended)).to.deep.equal([
        '-3000 Unused time on 10 × Long after 8 May 2030',
        '-2100 Unused time on Long after 11 May 2030',
      ]);
      const late = cancel(moved.subscription, '2030-05-22', { isProrated: true });
      expect(linesOf(late)).to.deep.equal(['-1000 Unused time on Long after 22 May 2030']);
      const next = change(moved.subscription, {
        at: '2030-05-08T00:00:00Z',
        plan: { a: ['Long', 3_100, 2] },
      });
      expect(linesOf(next)).to.deep.equal([
        '-3000 Unused time on 10 × Long after 8 May 2030',
        '-2100 Unused time on Long after 11 May 2030',
        '4800 Remaining time on 2 × Long after 8 May 2030',
      ]);
      expect(linesOf(cancel(next.subscription, '2030-05-15', { isProrated: true }))).to.deep.equal([
        '-3400 Unused time on 2 × Long after 15 May 2030',
      ]);
    });

    it('bills what was added, and gives that back', () => {
      const moved = dropped({ a: ['Long', 3_100, 10], b: ['More', 310] });
      expect(linesOf(moved)).to.deep.equal([
        '21000 Remaining time on 10 × Long after 11 May 2030',
        '210 Remaining time on More after 11 May 2030',
      ]);
      expect(linesOf(cancel(moved.subscription, '2030-05-08', { isProrated: true }))).to.deep.equal(
        [
          '-24000 Unused time on 10 × Long after 8 May 2030',
          '-210 Unused time on More after 11 May 2030',
        ],
      );
    });
  });

  it('waits for the outcome of a charge', () => {
    const { subscription } = schedule(begin(), '2030-04-10', { cancelAt: at('2030-04-21') });
    expect(dueAt(chargeSent(subscription, INVOICE), at('2030-04-25'))).to.equal(null);
  });

  it('is refused while the renewal of a period that is over has not run', () => {
    expect(codeOf(() => schedule(begin(), '2030-05-02', { isAtPeriodEnd: true }))).to.deep.equal([
      'subscription_renewal_due',
      undefined,
    ]);
  });

  it('must be in the future', () => {
    expect(
      codeOf(() => schedule(begin(), '2030-04-10', { cancelAt: at('2030-04-10') })),
    ).to.deep.equal(['cancel_at_in_past', 'cancel_at']);
  });
});

describe('a first invoice', () => {
  it('that is not paid in 23 hours lets the subscription expire', () => {
    const { subscription } = create({});
    expect(expireIncomplete(subscription, at('2030-04-01T22:59:59Z'))).to.equal(null);
    const expired = expireIncomplete(subscription, at('2030-04-01T23:00:00Z'));
    expect([expired?.subscription.status, expired?.event, expired?.openInvoices]).to.deep.equal([
      'incomplete_expired',
      null,
      'void',
    ]);
    expect(expired?.subscription.nextActionAt).to.equal(null);
  });
});
