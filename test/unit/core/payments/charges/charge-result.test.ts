import type { Charge, Outcome, PaymentRules } from '@paymount/core/payments';
import type { StoredChange } from '@paymount/core/store';
import { expect } from 'chai';
import { APPROVAL, AT, buildCharge, buildOperation, DECLINE, prepare } from '../../facts.ts';

const RULES: PaymentRules = {
  fees: (_, amount) => ({
    amount: Math.floor(amount / 100),
    details: [{ amount: Math.floor(amount / 100), type: 'application_fee', description: '1 %' }],
  }),
  disputeFees: () => ({ amount: 0, details: [] }),
  authorizationDays: () => 7,
};

type Result = Outcome | { outcome: 'unknown' } | { outcome: 'not_sent' };

function settle(
  charge: Charge,
  result: Result,
  kind: 'authorize' | 'capture' | 'cancel' = 'authorize',
): StoredChange {
  return prepare(charge, RULES).conclude(buildOperation(charge, kind), result, AT);
}

function chargeIn(change: StoredChange): Charge | undefined {
  const write = change.writes.find((each) => each.kind === 'charge');
  return write?.row;
}

function operationIn(change: StoredChange) {
  const write = change.writes.find((each) => each.kind === 'operation');
  return write?.row;
}

const authorized: Charge = {
  ...buildCharge({ captureMethod: 'manual' }),
  status: 'authorized',
  captureBefore: new Date('2026-11-28T09:30:00.000Z'),
};

describe('the result of a charge', () => {
  it('makes an approved sale succeeded, with event, ledger rows and answer in one change', () => {
    const change = settle(buildCharge(), APPROVAL);
    expect(chargeIn(change)).to.include({
      status: 'succeeded',
      version: 2,
      amountCaptured: 10_000,
    });
    expect(operationIn(change)).to.include({ state: 'done', processorReference: 'p_1' });
    expect(change.events?.map((event) => event.type)).to.deep.equal(['charge.succeeded']);
    expect(change.postings?.map(({ kind, entries }) => ({ kind, entries }))).to.deep.equal([
      {
        kind: 'capture',
        entries: [
          { code: 'processor_clearing', amount: 10_000n },
          { code: 'pending', amount: -9900n },
          { code: 'fees_revenue', amount: -100n },
        ],
      },
    ]);
    expect(change.balanceTransactions?.[0]).to.include({
      amount: 10_000n,
      fee: 100n,
      type: 'charge',
    });
    expect(change.response?.key).to.equal('k1');
    expect(change.response?.response.status).to.equal(200);
    expect(change.settled?.kind).to.equal('charge');
  });

  it('books what the processor keeps, which the merchant never sees', () => {
    const change = settle(buildCharge(), { ...APPROVAL, fee: 35 });
    expect(change.postings?.map(({ kind, entries }) => ({ kind, entries })).slice(1)).to.deep.equal(
      [
        {
          kind: 'processor_fee',
          entries: [
            { code: 'processor_fees', amount: 35n },
            { code: 'processor_clearing', amount: -35n },
          ],
        },
      ],
    );
    expect(change.balanceTransactions?.map(({ fee }) => fee)).to.deep.equal([100n]);
  });

  it('books no invalid fee: below zero, above the amount, in fractions, or without its parts', () => {
    for (const [amount, part] of [
      [-1, -1],
      [10_001, 10_001],
      [0.5, 0.5],
      [100, 99],
    ] as const) {
      const details = [{ amount: part, type: 'application_fee', description: 'wrong' }];
      const rules: PaymentRules = { ...RULES, fees: () => ({ amount, details }) };
      const charge = buildCharge();
      expect(() => prepare(charge, rules).conclude(buildOperation(charge), APPROVAL, AT)).to.throw(
        'the option `fees` returned no fee',
      );
    }
  });

  it('emits the charge in its state after the change', () => {
    const change = settle(buildCharge(), APPROVAL);
    const body = JSON.parse(change.events?.[0]?.body ?? '{}');
    expect(Object.keys(body)).to.deep.equal([
      'id',
      'object',
      'type',
      'api_version',
      'created',
      'livemode',
      'data',
    ]);
    expect(body).to.include({
      object: 'event',
      created: '2026-11-21T09:30:00.000Z',
      livemode: false,
    });
    expect(body.data.object).to.include({ status: 'succeeded', amount: 10_000, currency: 'eur' });
  });

  it('answers a decline with 402, whatever code the adapter made up', () => {
    for (const code of [
      'rate_limit',
      'lock_timeout',
      'key_revoked',
      'internal_error',
      'nonsense',
    ]) {
      const change = settle(buildCharge(), { ...DECLINE, code });
      expect(change.response?.response.status, code).to.equal(402);
      expect(JSON.parse(change.response?.response.body ?? '').error.code).to.equal('card_declined');
    }
  });

  it('leaves a charge authorized when its capture is refused, and answers 402', () => {
    const change = settle(authorized, DECLINE, 'capture');
    expect(chargeIn(change)).to.equal(undefined);
    expect(operationIn(change)?.state).to.equal('done');
    expect(change.response?.response.status).to.equal(402);
  });

  it('never moves a settled charge again', () => {
    const succeeded = chargeIn(settle(buildCharge(), APPROVAL));
    if (succeeded === undefined) throw new Error('the sale was not settled');
    for (const result of [APPROVAL, DECLINE, { outcome: 'unknown' } as const]) {
      const change = settle(succeeded, result);
      expect(chargeIn(change)).to.equal(undefined);
      expect(change.events).to.equal(undefined);
      expect(change.postings).to.equal(undefined);
    }
  });

  it('quarantines an approval of another amount or currency instead of booking it', () => {
    for (const wrong of [{ amount: 9999 }, { currency: 'usd' }]) {
      const change = settle(buildCharge(), { ...APPROVAL, ...wrong });
      expect(operationIn(change)?.state).to.equal('quarantined');
      const charge = chargeIn(change);
      expect(charge).to.include({ status: 'pending' });
      expect(charge?.outcome).to.include({ type: 'unknown' });
      expect(change.postings).to.equal(undefined);
      expect(change.events).to.equal(undefined);
    }
  });
});
