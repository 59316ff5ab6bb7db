import { expect } from 'chai';
import { moved } from '../../../../packages/core/src/billing/subscriptions/billing-decision.ts';
import type { SubscriptionStatus } from '../../../../packages/core/src/billing/subscriptions/subscription.ts';
import {
  canTake,
  SUBSCRIPTION_TRANSITIONS,
} from '../../../../packages/core/src/billing/subscriptions/subscription-states.ts';
import { begin } from './play-subscription.ts';

describe('the states of a subscription', () => {
  it('lead where the table says', () => {
    const rows = Object.entries(SUBSCRIPTION_TRANSITIONS).map(
      ([trigger, { from, to, event }]) => `${trigger}: ${from.join(' ')} > ${to} ${event ?? '-'}`,
    );
    expect(rows).to.deep.equal([
      'first_paid: incomplete > active subscription.created',
      'first_paid_in_trial: incomplete > trialing subscription.created',
      'first_unpaid: incomplete > incomplete_expired -',
      'trial_begun: active > trialing -',
      'period_begun: trialing active > active -',
      'renewal_paid: active > active subscription.renewed',
      'renewal_failed: active > past_due subscription.payment_failed',
      'invoice_failed: active > past_due -',
      'retry_failed: past_due > past_due -',
      'recovered: past_due unpaid > active subscription.recovered',
      'settled: past_due unpaid > active -',
      'left_unpaid: past_due > unpaid -',
      'given_up: past_due > canceled subscription.canceled',
      'paused: trialing > paused -',
      'resumed: paused > active -',
      'canceled: trialing active past_due unpaid paused > canceled subscription.canceled',
    ]);
  });

  it('have no way out of the last ones', () => {
    const last: readonly SubscriptionStatus[] = ['canceled', 'incomplete_expired'];
    for (const { from } of Object.values(SUBSCRIPTION_TRANSITIONS)) {
      expect(from.filter((status) => last.includes(status))).to.deep.equal([]);
    }
    expect([canTake('canceled', 'active'), canTake('canceled', 'canceled')]).to.deep.equal([
      true,
      false,
    ]);
  });

  it('are not reached from anywhere else', () => {
    const endedAt = new Date('2030-04-02T00:00:00Z');
    expect(() => moved(begin(), 'given_up', { state: { status: 'canceled', endedAt } })).to.throw(
      RangeError,
    );
    expect(() => moved(begin(), 'canceled', { state: { status: 'active' } })).to.throw(RangeError);
  });
});
