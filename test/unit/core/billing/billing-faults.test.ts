import { expect } from 'chai';
import { boundary } from '../../../../packages/core/src/billing/subscriptions/billing-calendar.ts';
import { cancelSubscription } from '../../../../packages/core/src/billing/subscriptions/cancel-subscription.ts';
import {
  collectionFailed,
  giveUp,
  retriedNow,
} from '../../../../packages/core/src/billing/subscriptions/collect-subscription.ts';
import { costBetween } from '../../../../packages/core/src/billing/subscriptions/proration.ts';
import { renewSubscription } from '../../../../packages/core/src/billing/subscriptions/renew-subscription.ts';
import type { Subscription } from '../../../../packages/core/src/billing/subscriptions/subscription.ts';
import {
  begin,
  change,
  create,
  INVOICE,
  linesOf,
  type Plan,
  pay,
  renew,
} from './play-subscription.ts';

const at = (text: string): Date => new Date(text.length > 10 ? text : `${text}T00:00:00Z`);
const PRO: Plan = { a: ['Pro', 6_000] };
const FREE: Plan = { a: ['Free', 0] };

function failed(subscription: Subscription, time: string, code: string | null): Subscription {
  return collectionFailed(subscription, {
    invoice: { id: INVOICE, periodIndex: subscription.period.index },
    failure: code === null ? null : { code: 'card_declined', declineCode: code },
    isScheduled: true,
    exhausted: 'cancel',
    at: at(time),
  }).subscription;
}

function cancelNow(subscription: Subscription, time: string) {
  return cancelSubscription(
    subscription,
    { isProrated: true, isInvoicedNow: false, details: {} },
    at(time),
  );
}

describe('faults that billing systems have had', () => {
  it('anchor drift after a short month (polar #10664, autumn PR 2115): periods end on the last day', () => {
    let subscription = begin({ at: '2031-01-31T00:00:00Z' });
    const starts: string[] = [];
    for (let months = 0; months < 14; months += 1) {
      subscription = pay(renew(subscription).subscription, months + 1);
      starts.push(subscription.period.start.toISOString().slice(0, 10));
    }
    expect(starts).to.deep.equal([
      '2031-02-28',
      '2031-03-31',
      '2031-04-30',
      '2031-05-31',
      '2031-06-30',
      '2031-07-31',
      '2031-08-31',
      '2031-09-30',
      '2031-10-31',
      '2031-11-30',
      '2031-12-31',
      '2032-01-31',
      '2032-02-29',
      '2032-03-31',
    ]);
  });

  it('early renewal (SELISE PR 538): the current period is not billed again', () => {
    const subscription = pay(renew(begin()).subscription, 1);
    const early = { at: at('2030-05-15'), invoiceId: INVOICE, canPay: true };
    expect(renewSubscription(subscription, early)).to.equal(null);
  });

  it('doubled period (flexprice PR 2370, lago PR 1086): a repeated run bills the same one or none', () => {
    const subscription = begin();
    const first = renew(subscription);
    const second = renew(subscription, at('2030-05-07'));
    expect(second.newPeriods).to.deep.equal(first.newPeriods);
    const ports = { at: at('2030-05-07'), invoiceId: INVOICE, canPay: true };
    expect(renewSubscription(first.subscription, ports)).to.equal(null);
  });

  it('attempts after the cancellation (polar #6542): none is made', () => {
    const due = failed(renew(begin()).subscription, '2030-05-01', 'insufficient_funds');
    const { subscription } = cancelSubscription(
      due,
      { isProrated: false, isInvoicedNow: false, details: {} },
      at('2030-05-02'),
    );
    expect(subscription.nextActionAt).to.equal(null);
    expect(retriedNow(subscription, at('2030-05-03'))).to.equal(subscription);
    expect(giveUp(subscription, { at: at('2030-06-01'), exhausted: 'cancel' })).to.equal(null);
  });

  it('no payment method (polar #8223): collection ends on its last day', () => {
    const due = failed(renew(begin()).subscription, '2030-05-01', null);
    expect(due.nextActionAt).to.deep.equal(at('2030-05-08'));
    const end = giveUp(due, { at: at('2030-05-08'), exhausted: 'cancel' });
    expect(end?.subscription.status).to.equal('canceled');
  });

  it('past due after the last attempt (polar PR 8262): it ends with that attempt', () => {
    let due = failed(renew(begin()).subscription, '2030-05-01', 'insufficient_funds');
    for (const day of ['2030-05-02', '2030-05-04', '2030-05-06']) {
      due = failed(due, day, 'insufficient_funds');
      expect(due.status).to.equal('past_due');
    }
    expect(failed(due, '2030-05-08', 'insufficient_funds').status).to.equal('canceled');
  });

  it('free plan to a paid one on the first day (killbill #877): the whole period is billed', () => {
    const decision = change(begin({ plan: FREE }), { at: '2030-04-01T00:00:00Z', plan: PRO });
    expect(linesOf(decision)).to.deep.equal(['6000 Remaining time on Pro after 1 Apr 2030']);
  });

  it('adjusted lines (killbill #154, #1505, #159): what was given back is given back once', () => {
    const upgraded = change(begin(), { at: '2030-04-11T00:00:00Z', plan: PRO });
    const downgraded = change(upgraded.subscription, { at: '2030-04-16T00:00:00Z', plan: FREE });
    expect(linesOf(downgraded)).to.deep.equal(['-3000 Unused time on Pro after 16 Apr 2030']);
    const repaired = change(downgraded.subscription, { at: '2030-04-21T00:00:00Z', plan: PRO });
    expect(linesOf(repaired)).to.deep.equal(['2000 Remaining time on Pro after 21 Apr 2030']);
    const end = cancelNow(repaired.subscription, '2030-04-26');
    expect(linesOf(end)).to.deep.equal(['-1000 Unused time on Pro after 26 Apr 2030']);
    expect(end.subscription.items.map(({ billed }) => billed)).to.deep.equal([null]);
  });

  it('daily plan in New York from 20:00 to 24:00 (killbill #2005): each day is billed once', () => {
    for (const hour of [20, 21, 22, 23]) {
      // In winter it is five hours behind, so each of these is on the next day in UTC, or at its midnight.
      const start = new Date(Date.UTC(2030, 0, 10, hour + 5));
      let subscription = begin({
        at: start.toISOString(),
        zone: 'America/New_York',
        interval: 'day',
      });
      for (let days = 1; days <= 3; days += 1) {
        const next = pay(renew(subscription).subscription, days);
        expect(next.period.start).to.deep.equal(new Date(start.getTime() + days * 86_400_000));
        expect(next.period.start).to.deep.equal(subscription.period.end);
        subscription = next;
      }
    }
  });

  it('one day in both invoices of an upgrade (lago PR 1695): the last period ends where the next begins', () => {
    const decision = change(begin(), {
      at: '2030-04-16T10:00:00Z',
      plan: { a: ['Yearly', 36_500] },
      interval: 'year',
    });
    const spans = decision.lines.map(({ period }) => [period.start, period.end]);
    expect(spans).to.deep.equal([
      ['2030-04-16T10:00:00.000Z', '2030-05-01T00:00:00.000Z'],
      ['2030-04-16T10:00:00.000Z', '2031-04-16T10:00:00.000Z'],
    ]);
    // 15 days and 10 hours were used: 3000 * 370 / 720 is 1541.67.
    expect(decision.lines[0]?.amount).to.equal(-1_458);
    expect(decision.movedEnd).to.deep.equal({ index: 0, end: at('2030-04-16T10:00:00Z') });
  });

  it('zone ignored at the end (lago PR 1179): the hours of the local month count', () => {
    const subscription = begin({
      at: '2030-02-28T23:00:00Z',
      zone: 'Europe/Berlin',
      plan: { a: ['Hourly', 74_300] },
    });
    // 743 hours of March in Berlin; one is left at 23:00 there.
    expect(linesOf(cancelNow(subscription, '2030-03-31T21:00:00Z'))).to.deep.equal([
      '-100 Unused time on Hourly after 31 Mar 2030',
    ]);
  });

  it('preview of another period (lago PR 5664): the same lines are billed', () => {
    const preview = change(begin(), { at: '2030-04-16T00:00:00Z', plan: PRO });
    const late = { at: '2030-04-16T00:05:00Z', plan: PRO, date: '2030-04-16T00:00:00Z' };
    expect(change(begin(), late).lines).to.deep.equal(preview.lines);
    const anchored = { at: '2030-04-16T00:00:00Z', isAnchoredNow: true } as const;
    const shown = change(begin(), anchored);
    const billed = change(begin(), { ...anchored, at: '2030-04-16T00:05:00Z', date: anchored.at });
    expect(billed.lines).to.deep.equal(shown.lines);
    expect(billed.newPeriods.map(({ start }) => start)).to.deep.equal([at('2030-04-16')]);
  });

  it('invoice for a cancelled trial (flexprice PR 1876): nothing is invoiced', () => {
    const trial = begin({ trialEnd: '2030-04-15T00:00:00Z' });
    const end = cancelSubscription(
      trial,
      { isProrated: false, isInvoicedNow: true, details: {} },
      at('2030-04-14'),
    );
    expect([end.lines, end.invoicing]).to.deep.equal([[], 'none']);
    const ports = { at: at('2030-04-15'), invoiceId: INVOICE, canPay: true };
    expect(renewSubscription(end.subscription, ports)).to.equal(null);
  });

  it('credit from the new price: it is what was billed', () => {
    const decision = change(begin(), { at: '2030-04-16T00:00:00Z', plan: PRO });
    expect(decision.lines.map(({ amount }) => amount)).to.deep.equal([-1_500, 3_000]);
    const down = change(begin({ plan: PRO }), { at: '2030-04-16T00:00:00Z', plan: FREE });
    expect(down.lines.map(({ amount }) => amount)).to.deep.equal([-3_000]);
  });

  it('period that has not begun (erpnext PR 49635): it costs nothing', () => {
    const period = { start: at('2030-05-01'), end: at('2030-06-01') };
    expect(costBetween(3_000n, period, at('2030-04-01'), at('2030-04-16'))).to.equal(0n);
    expect(costBetween(3_000n, period, at('2030-06-02'), at('2030-06-16'))).to.equal(0n);
  });

  it('sign-up between midnight in UTC and local midnight: the month is the local one', () => {
    // 22:00 on 31 January in New York, which is 1 February in UTC.
    const { subscription } = create({ at: '2030-02-01T03:00:00Z', zone: 'America/New_York' });
    expect(subscription.period.start).to.deep.equal(at('2030-02-01T03:00:00Z'));
    expect(subscription.period.end).to.deep.equal(at('2030-03-01T03:00:00Z'));
    // 31 March there, an hour earlier in UTC because of summer time.
    expect(boundary(subscription.calendar, 2)).to.deep.equal(at('2030-04-01T02:00:00Z'));
    // 01:00 on 1 February in Berlin, which is 31 January in UTC at 00:00 and later.
    const { subscription: berlin } = create({ at: '2030-02-01T00:00:00Z', zone: 'Europe/Berlin' });
    expect(berlin.period.end).to.deep.equal(at('2030-03-01T00:00:00Z'));
    const tokyo = create({ at: '2030-01-31T16:00:00Z', zone: 'Asia/Tokyo' }).subscription;
    expect(tokyo.period.end).to.deep.equal(at('2030-02-28T16:00:00Z'));
  });

  it('currency without minor units (Paymenter #1258): the amount is not multiplied', () => {
    const decision = create({ currency: 'jpy', plan: { a: ['Yen', 980] } });
    expect(linesOf(decision)).to.deep.equal(['980 1 × Yen (at 980 JPY / month)']);
  });
});
