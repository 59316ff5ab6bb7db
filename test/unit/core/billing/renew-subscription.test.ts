import { expect } from 'chai';
import { chargeSent } from '../../../../packages/core/src/billing/subscriptions/collect-subscription.ts';
import {
  collectionResumed,
  isBehind,
  renewSubscription,
} from '../../../../packages/core/src/billing/subscriptions/renew-subscription.ts';
import { resumeSubscription } from '../../../../packages/core/src/billing/subscriptions/resume-subscription.ts';
import type { Subscription } from '../../../../packages/core/src/billing/subscriptions/subscription.ts';
import { begin, change, create, INVOICE, linesOf, pay, renew } from './play-subscription.ts';

const at = (text: string): Date => new Date(text.length > 10 ? text : `${text}T00:00:00Z`);
const run = (subscription: Subscription, time: string, canPay = true) =>
  renewSubscription(subscription, { at: at(time), invoiceId: INVOICE, canPay });

describe('a renewal', () => {
  it('bills the period after the last one, when that is over', () => {
    const renewal = run(begin(), '2030-05-01');
    expect(linesOf(renewal ?? { lines: [] })).to.deep.equal([
      '3000 1 × Basic (at 30.00 EUR / month)',
    ]);
    expect(renewal?.newPeriods.map(({ index, start, end }) => [index, start, end])).to.deep.equal([
      [1, at('2030-05-01'), at('2030-06-01')],
    ]);
    expect([renewal?.invoicing, renewal?.event, renewal?.movedEnd]).to.deep.equal([
      'now',
      null,
      null,
    ]);
    expect(renewal?.subscription.nextActionAt).to.deep.equal(at('2030-06-01'));
  });

  it('is not due a second before', () => {
    expect(run(begin(), '2030-04-30T23:59:59Z')).to.equal(null);
  });

  it('that runs late bills the oldest missing period, one after the other', () => {
    let subscription = begin({ interval: 'day', plan: { a: ['Daily', 100] } });
    const ends: string[] = [];
    for (let days = 0; days < 3; days += 1) {
      const renewal = run(subscription, '2030-04-04T12:00:00Z');
      ends.push(renewal?.subscription.period.end.toISOString() ?? '');
      subscription = pay(renewal?.subscription ?? subscription, days + 1);
      expect(isBehind(subscription, at('2030-04-04T12:00:00Z'))).to.equal(days < 2);
    }
    expect(ends).to.deep.equal([
      '2030-04-03T00:00:00.000Z',
      '2030-04-04T00:00:00.000Z',
      '2030-04-05T00:00:00.000Z',
    ]);
    expect(run(subscription, '2030-04-04T12:00:00Z')).to.equal(null);
  });

  it('waits while a charge has no known outcome', () => {
    expect(run(chargeSent(begin(), INVOICE), '2030-06-01')).to.equal(null);
    expect(chargeSent(begin(), INVOICE).nextActionAt).to.equal(null);
  });

  it('waits while an invoice is not paid', () => {
    expect(run(create({}).subscription, '2030-05-01')).to.equal(null);
  });

  it('comes back to the day of the anchor after a short month', () => {
    let subscription = begin({ at: '2030-01-31T00:00:00Z' });
    const ends = [1, 2, 3].map(() => {
      subscription = renew(subscription).subscription;
      return subscription.period.end.toISOString().slice(0, 10);
    });
    expect(ends).to.deep.equal(['2030-03-31', '2030-04-30', '2030-05-31']);
  });

  it('skips a day that a zone skips', () => {
    // 30 December 2011 did not exist in Apia.
    let subscription = begin({
      at: '2011-12-28T20:00:00Z',
      zone: 'Pacific/Apia',
      interval: 'day',
    });
    const ends = [1, 2].map(() => {
      subscription = renew(subscription).subscription;
      return subscription.period.end.toISOString();
    });
    expect(ends).to.deep.equal(['2011-12-30T20:00:00.000Z', '2011-12-31T20:00:00.000Z']);
  });

  it('of a period in which it ends bills up to the end', () => {
    const subscription = begin({ plan: { a: ['Long', 3_100] }, cancelAt: '2030-05-11T00:00:00Z' });
    const renewal = run(subscription, '2030-05-01');
    expect(linesOf(renewal ?? { lines: [] })).to.deep.equal([
      '1000 Time on Long from 1 May 2030 until 11 May 2030',
    ]);
    expect(renewal?.subscription.period.end).to.deep.equal(at('2030-06-01'));
    expect(renewal?.subscription.nextActionAt).to.deep.equal(at('2030-05-11'));
  });

  it('whose invoice becomes void gives nothing back', () => {
    const paused = {
      ...begin(),
      pauseCollection: { behavior: 'void' as const, resumesAt: at('2030-05-20') },
    };
    const { subscription } = renew(paused);
    expect(subscription.nextActionAt).to.deep.equal(at('2030-05-20'));
    const resumed = collectionResumed(subscription);
    expect([resumed.pauseCollection, resumed.nextActionAt]).to.deep.equal([null, at('2030-06-01')]);
    const plan = { a: ['Free', 0] as const };
    expect(linesOf(change(resumed, { at: '2030-05-21T00:00:00Z', plan }))).to.deep.equal([]);
  });
});

describe('the end of a trial without a payment method', () => {
  const trial = { trialEnd: '2030-04-15T00:00:00Z' };

  it('makes an invoice, if nothing else was asked for', () => {
    const decision = run(begin(trial), '2030-04-15', false);
    expect([decision?.subscription.status, decision?.invoicing]).to.deep.equal(['active', 'now']);
  });

  it('cancels the subscription, if that was asked for, and bills nothing', () => {
    const decision = run(begin({ ...trial, trialEndBehavior: 'cancel' }), '2030-04-16', false);
    expect([decision?.subscription.status, decision?.event]).to.deep.equal([
      'canceled',
      'subscription.canceled',
    ]);
    expect([decision?.lines, decision?.newPeriods]).to.deep.equal([[], []]);
    const { subscription } = decision ?? {};
    expect(subscription?.status === 'canceled' && subscription.endedAt).to.deep.equal(
      at('2030-04-15'),
    );
  });

  it('does not matter if there is one', () => {
    const decision = run(begin({ ...trial, trialEndBehavior: 'pause' }), '2030-04-15');
    expect(decision?.subscription.status).to.equal('active');
  });

  const pause = () => run(begin({ ...trial, trialEndBehavior: 'pause' }), '2030-04-15', false);

  it('pauses the subscription, if that was asked for, and nothing is due', () => {
    const decision = pause();
    expect([decision?.subscription.status, decision?.event, decision?.lines]).to.deep.equal([
      'paused',
      null,
      [],
    ]);
    expect(decision?.subscription.nextActionAt).to.equal(null);
  });

  const RESUMED = [
    ['now', 'create_prorations', '3000 1 × Basic (at 30.00 EUR / month)', '2030-06-05'],
    [
      'unchanged',
      'create_prorations',
      '1000 Time on Basic from 5 May 2030 until 15 May 2030',
      '2030-05-15',
    ],
    ['unchanged', 'none', undefined, '2030-05-15'],
  ] as const;
  for (const [anchor, prorationBehavior, line, end] of RESUMED) {
    it(`and a pause until it is resumed with the anchor ${anchor}, ${prorationBehavior}`, () => {
      const decision = resumeSubscription(
        pause()?.subscription ?? begin(),
        { anchor, prorationBehavior },
        { at: at('2030-05-05'), invoiceId: INVOICE },
      );
      expect(linesOf(decision)).to.deep.equal(line === undefined ? [] : [line]);
      expect([decision.subscription.status, decision.subscription.period.end]).to.deep.equal([
        'active',
        at(end),
      ]);
      expect(decision.movedEnd).to.deep.equal({ index: 0, end: at('2030-05-05') });
      expect(decision.newPeriods.map(({ index, start }) => [index, start])).to.deep.equal([
        [1, at('2030-05-05')],
      ]);
    });
  }
});
