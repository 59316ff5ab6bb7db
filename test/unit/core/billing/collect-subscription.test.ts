import { newId } from '@paymount/core/kernel';
import { expect } from 'chai';
import { cancelSubscription } from '../../../../packages/core/src/billing/subscriptions/cancel-subscription.ts';
import {
  type CollectionFailure,
  chargeSent,
  collectionFailed,
  debitSubmitted,
  giveUp,
  invoicePaid,
  retriedNow,
} from '../../../../packages/core/src/billing/subscriptions/collect-subscription.ts';
import { declineClassOf } from '../../../../packages/core/src/billing/subscriptions/decline-class.ts';
import { renewSubscription } from '../../../../packages/core/src/billing/subscriptions/renew-subscription.ts';
import { invoiceVoided } from '../../../../packages/core/src/billing/subscriptions/settle-subscription.ts';
import type { Subscription } from '../../../../packages/core/src/billing/subscriptions/subscription.ts';
import { begin, change, create, INVOICE, linesOf, pay, renew } from './play-subscription.ts';

const at = (text: string): Date => new Date(text.length > 10 ? text : `${text}T00:00:00Z`);
const FUNDS = { code: 'card_declined', declineCode: 'insufficient_funds' } as const;
const VAGUE = { code: 'card_declined', declineCode: 'do_not_honor' } as const;
const EXPIRED = { code: 'expired_card', declineCode: 'expired_card' } as const;
const STOLEN = { code: 'card_declined', declineCode: 'stolen_card' } as const;

function fail(subscription: Subscription, time: string, more: Partial<CollectionFailure> = {}) {
  return collectionFailed(subscription, {
    invoice: { id: INVOICE, periodIndex: 1 },
    failure: FUNDS,
    isScheduled: true,
    exhausted: 'cancel',
    at: at(time),
    ...more,
  });
}

const renewed = (): Subscription => renew(begin()).subscription;

function dunningOf(subscription: Subscription) {
  return subscription.status === 'past_due' || subscription.status === 'unpaid'
    ? subscription.dunning
    : undefined;
}

/** The days of the attempts after the first failure, until collection ends. */
function attemptsOf(failure: CollectionFailure['failure']): readonly string[] {
  let { subscription } = fail(renewed(), '2030-05-01', { failure });
  const days: string[] = [];
  while (subscription.status === 'past_due') {
    const due = subscription.nextActionAt ?? at('2031-01-01');
    const day = due.toISOString().slice(0, 10);
    const given = giveUp(subscription, { at: due, exhausted: 'cancel' });
    const decision = given ?? fail(subscription, day, { failure });
    days.push(given === null ? day : `${day} gives up`);
    subscription = decision.subscription;
  }
  expect(subscription.status).to.equal('canceled');
  return days;
}

describe('a renewal that is not paid', () => {
  it('makes the subscription past due, and is announced once', () => {
    const { subscription, event } = fail(renewed(), '2030-05-01');
    expect([subscription.status, event]).to.deep.equal(['past_due', 'subscription.payment_failed']);
    expect(dunningOf(subscription)).to.deep.include({
      attempt: 1,
      nextAttemptAt: at('2030-05-02'),
      lastFailureCode: 'insufficient_funds',
      declineClass: 'retry',
    });
    const again = fail(subscription, '2030-05-02');
    expect([again.event, dunningOf(again.subscription)?.attempt]).to.deep.equal([null, 2]);
  });

  const SCHEDULES = [
    ['retry', FUNDS, ['2030-05-02', '2030-05-04', '2030-05-06', '2030-05-08']],
    ['limited', VAGUE, ['2030-05-02', '2030-05-04', '2030-05-08 gives up']],
    ['customer', EXPIRED, ['2030-05-08 gives up']],
    ['never', STOLEN, ['2030-05-08 gives up']],
    ['customer, because there is no payment method', null, ['2030-05-08 gives up']],
  ] as const;
  for (const [name, failure, days] of SCHEDULES) {
    it(`is attempted again as the class says: ${name}`, () => {
      expect(attemptsOf(failure)).to.deep.equal(days);
    });
  }

  it('ends the subscription with the reason, and no attempt follows', () => {
    const { subscription } = fail(renewed(), '2030-05-01', { failure: null });
    const end = giveUp(subscription, { at: at('2030-05-08'), exhausted: 'cancel' });
    expect([end?.subscription.status, end?.event]).to.deep.equal([
      'canceled',
      'subscription.canceled',
    ]);
    expect(end?.subscription.cancellation.reason).to.equal('payment_failed');
    expect(end?.subscription.nextActionAt).to.equal(null);
  });

  it('leaves it unpaid, if the account says so, and bills nothing until it is paid', () => {
    const { subscription } = fail(renewed(), '2030-05-01', { failure: null });
    const end = giveUp(subscription, { at: at('2030-05-08'), exhausted: 'leave_unpaid' });
    const unpaid = end?.subscription ?? subscription;
    expect([unpaid.status, end?.event, unpaid.nextActionAt]).to.deep.equal(['unpaid', null, null]);
    const ports = { at: at('2031-01-01'), invoiceId: INVOICE, canPay: true };
    expect(renewSubscription(unpaid, ports)).to.equal(null);
    const paid = invoicePaid(unpaid, { id: INVOICE, periodIndex: 1 }, at('2030-08-10'));
    expect([paid?.event, paid?.movedEnd]).to.deep.equal([
      'subscription.recovered',
      { index: 1, end: at('2030-08-10') },
    ]);
    const next = renew(paid?.subscription ?? unpaid);
    expect(next.subscription.period.end).to.deep.equal(at('2030-09-10'));
  });

  it('recovers when it is paid, and keeps its anchor', () => {
    const { subscription } = fail(renewed(), '2030-05-01');
    const paid = invoicePaid(subscription, { id: INVOICE, periodIndex: 1 }, at('2030-05-02'));
    expect([paid?.subscription.status, paid?.event]).to.deep.equal([
      'active',
      'subscription.recovered',
    ]);
    expect(paid?.subscription.nextActionAt).to.deep.equal(at('2030-06-01'));
  });

  it('is not changed by the payment of another invoice', () => {
    const { subscription } = fail(renewed(), '2030-05-01');
    const paid = invoicePaid(
      subscription,
      { id: newId('in'), periodIndex: null },
      at('2030-05-02'),
    );
    expect([paid?.subscription.status, paid?.event]).to.deep.equal(['past_due', null]);
  });

  it('of another period is announced when it is paid meanwhile', () => {
    const { subscription } = fail(renewed(), '2030-05-01', {
      invoice: { id: INVOICE, periodIndex: 0 },
    });
    const other = { id: newId('in'), periodIndex: 1 };
    const paid = invoicePaid(subscription, other, at('2030-05-02'));
    expect([paid?.subscription.status, paid?.event]).to.deep.equal([
      'past_due',
      'subscription.renewed',
    ]);
    const again = invoicePaid(paid?.subscription ?? subscription, other, at('2030-05-02'));
    expect(again?.event).to.equal(null);
    const recovered = invoicePaid(
      paid?.subscription ?? subscription,
      { id: INVOICE, periodIndex: 0 },
      at('2030-05-03'),
    );
    expect(recovered?.event).to.equal('subscription.recovered');
  });

  it('is attempted at once with a new payment method, which uses up no attempt', () => {
    const { subscription } = fail(renewed(), '2030-05-01', { failure: EXPIRED });
    const retried = retriedNow(subscription, at('2030-05-01T12:00:00Z'));
    expect(retried.nextActionAt).to.deep.equal(at('2030-05-01T12:00:00Z'));
    const failed = fail(retried, '2030-05-01T12:00:00Z');
    expect(dunningOf(failed.subscription)).to.deep.include({
      attempt: 1,
      nextAttemptAt: at('2030-05-02'),
    });
  });

  it('that is paid by request and fails again uses up no attempt', () => {
    const { subscription } = fail(renewed(), '2030-05-01');
    const failed = fail(subscription, '2030-05-03', { isScheduled: false });
    expect(dunningOf(failed.subscription)).to.deep.include({
      attempt: 1,
      nextAttemptAt: at('2030-05-04'),
    });
  });

  it('of an earlier class changes the schedule', () => {
    const { subscription } = fail(renewed(), '2030-05-01');
    const { subscription: stolen } = fail(subscription, '2030-05-02', { failure: STOLEN });
    expect(dunningOf(stolen)?.nextAttemptAt).to.equal(null);
    expect(stolen.nextActionAt).to.deep.equal(at('2030-05-08'));
  });

  it('that becomes void counts as not billed, and the subscription is active', () => {
    const { subscription } = fail(renewed(), '2030-05-01');
    const { billedUntil } = subscription.period;
    const before = { items: new Map(subscription.items.map(({ id }) => [id, null])), billedUntil };
    const voided = invoiceVoided(subscription, { id: INVOICE, before, at: at('2030-05-03') });
    expect([voided.subscription.status, voided.event]).to.deep.equal(['active', null]);
    const plan = { a: ['Free', 0] as const };
    const changed = change(voided.subscription, { at: '2030-05-11T00:00:00Z', plan });
    expect(changed.lines).to.deep.equal([]);
  });

  it('cannot be prorated, unless nothing is written', () => {
    const { subscription } = fail(renewed(), '2030-05-01');
    const plan = { a: ['Pro', 6_000] as const };
    const step = { at: '2030-05-03T00:00:00Z', plan };
    expect(() => change(subscription, step)).to.throw(
      'Pay it, void it, or send proration_behavior=none.',
    );
    expect(linesOf(change(subscription, { ...step, behavior: 'none' }))).to.deep.equal([]);
  });
});

describe('a renewal that is paid', () => {
  it('is announced', () => {
    const paid = invoicePaid(renewed(), { id: INVOICE, periodIndex: 1 }, at('2030-05-01'));
    expect(paid?.event).to.equal('subscription.renewed');
  });

  it('is announced once, whatever else is paid in its period', () => {
    const subscription = pay(renewed(), 1);
    const again = invoicePaid(subscription, { id: INVOICE, periodIndex: 1 }, at('2030-05-02'));
    const other = invoicePaid(subscription, { id: INVOICE, periodIndex: null }, at('2030-05-02'));
    expect([again?.event, other?.event]).to.deep.equal([null, null]);
  });

  it('gets no payment_failed for another invoice of its period, and no recovered', () => {
    const subscription = pay(renewed(), 1);
    const failed = fail(subscription, '2030-05-10', {
      invoice: { id: INVOICE, periodIndex: null },
    });
    expect([failed.subscription.status, failed.event]).to.deep.equal(['past_due', null]);
    const paid = invoicePaid(
      failed.subscription,
      { id: INVOICE, periodIndex: null },
      at('2030-05-11'),
    );
    expect([paid?.subscription.status, paid?.event]).to.deep.equal(['active', null]);
  });
});

describe('the first payment', () => {
  it('begins the subscription', () => {
    const sent = chargeSent(create({}).subscription, INVOICE);
    expect(sent.nextActionAt).to.equal(null);
    const paid = invoicePaid(sent, { id: INVOICE, periodIndex: 0 }, at('2030-04-01'));
    expect([paid?.subscription.status, paid?.event]).to.deep.equal([
      'active',
      'subscription.created',
    ]);
    expect([paid?.subscription.chargingInvoiceId, paid?.subscription.nextActionAt]).to.deep.equal([
      null,
      at('2030-05-01'),
    ]);
  });

  it('that fails leaves it incomplete', () => {
    const sent = chargeSent(create({}).subscription, INVOICE);
    const failed = fail(sent, '2030-04-01', { invoice: { id: INVOICE, periodIndex: 0 } });
    expect([failed.subscription.status, failed.event]).to.deep.equal(['incomplete', null]);
    expect(failed.subscription.nextActionAt).to.deep.equal(at('2030-04-01T23:00:00Z'));
  });

  it('by a debit begins it when the debit is submitted; a return makes it past due', () => {
    const submitted = debitSubmitted(create({}).subscription, INVOICE);
    expect([submitted.subscription.status, submitted.event]).to.deep.equal([
      'active',
      'subscription.created',
    ]);
    const returned = fail(submitted.subscription, '2030-04-05', {
      invoice: { id: INVOICE, periodIndex: 0 },
      failure: { code: 'insufficient_funds', isDebit: true },
    });
    expect([returned.subscription.status, returned.event]).to.deep.equal([
      'past_due',
      'subscription.payment_failed',
    ]);
  });

  it('that becomes void lets it expire', () => {
    const { subscription } = create({});
    const { billedUntil } = subscription.period;
    const before = { items: new Map(), billedUntil };
    const voided = invoiceVoided(subscription, { id: INVOICE, before, at: at('2030-04-01') });
    expect([voided.subscription.status, voided.event]).to.deep.equal(['incomplete_expired', null]);
  });

  it('after the end is given back', () => {
    const how = { isProrated: false, isInvoicedNow: false, details: {} };
    const { subscription } = cancelSubscription(renewed(), how, at('2030-05-01'));
    expect(invoicePaid(subscription, { id: INVOICE, periodIndex: 1 }, at('2030-05-02'))).to.equal(
      null,
    );
  });
});

describe('the class of a failure', () => {
  const CLASSES = [
    [FUNDS, 'retry'],
    [{ code: 'processing_error' }, 'retry'],
    [VAGUE, 'limited'],
    [{ code: 'card_declined', declineCode: 'a_code_of_tomorrow' }, 'limited'],
    [{ code: 'authentication_required' }, 'customer'],
    [EXPIRED, 'customer'],
    [STOLEN, 'never'],
    [{ code: 'insufficient_funds', isDebit: true }, 'limited'],
    [{ code: 'account_closed', isDebit: true }, 'customer'],
    [null, 'customer'],
  ] as const;
  for (const [failure, expected] of CLASSES) {
    it(`of ${failure?.code ?? 'no payment method'} is ${expected}`, () => {
      expect(declineClassOf(failure)).to.equal(expected);
    });
  }
});
