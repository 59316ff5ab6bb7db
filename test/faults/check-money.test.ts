import { expect } from 'chai';
import type { Asked } from './money/asked.ts';
import { checkMoney } from './money/check-money.ts';
import type { Everything } from './money/data-and-journal.ts';
import type { JournalLine } from './money/journal.ts';

const ACTING = { account: 'acct_1', environment: 'test' } as unknown as Asked['acting'];
const HTTP = { acting: ACTING, via: 'http' } as const;
const USING = { acting: ACTING, via: 'using' } as const;
const LINE: Pick<JournalLine, 'environment' | 'currency' | 'capture' | 'verdict' | 'fee'> = {
  environment: 'test',
  currency: 'eur',
  capture: false,
  verdict: 'approved',
  fee: 0,
};

const CHARGE = { environment: 'test', isDebit: false } as const;

/**
 * A sale of 100 of which 30 came back, an authorization of 50 captured with 40, one released; a debit of
 * 60 that came back late; two payouts, of which one came back; a dispute that took 20.
 */
const AGREED: Everything = {
  journal: [
    {
      ...LINE,
      operationId: 'op_1',
      kind: 'authorize',
      amount: 100,
      capture: true,
      subject: 'ch_1',
      fee: 2,
    },
    { ...LINE, operationId: 'op_2', kind: 'refund', amount: 30, subject: 're_1' },
    { ...LINE, operationId: 'op_3', kind: 'authorize', amount: 50, subject: 'ch_2' },
    { ...LINE, operationId: 'op_4', kind: 'capture', amount: 40, subject: 'ch_2' },
    { ...LINE, operationId: 'op_5', kind: 'authorize', amount: 70, subject: 'ch_3' },
    { ...LINE, operationId: 'op_6', kind: 'cancel', amount: 70, subject: 're_2' },
    {
      ...LINE,
      operationId: 'op_7',
      kind: 'authorize',
      amount: 80,
      subject: 'ch_4',
      verdict: 'declined',
    },
    {
      ...LINE,
      operationId: 'op_10',
      kind: 'authorize',
      amount: 60,
      capture: true,
      subject: 'ch_5',
    },
    { ...LINE, operationId: 'op_11', kind: 'payout', amount: 5, subject: 'po_1' },
    { ...LINE, operationId: 'op_12', kind: 'payout', amount: 6, subject: 'po_2' },
  ],
  aftermath: {
    cases: [
      { environment: 'test', charge: 'ch_1', reference: 'case_1', status: 'lost', taken: 20 },
      { environment: 'test', charge: 'ch_2', reference: 'case_2', status: 'alert', taken: 0 },
    ],
    lateReturns: ['ch_5'],
    returnedPayouts: ['po_2'],
    settlements: [{ environment: 'test', amount: 100, fee: 2 }],
  },
  chargebacks: [
    {
      id: 'dp_1',
      charge: 'ch_1',
      status: 'lost',
      closedReason: 'ruling',
      reference: 'case_1',
      taken: 20,
    },
    {
      id: 'dp_2',
      charge: 'ch_5',
      status: 'lost',
      closedReason: 'not_contestable',
      reference: 'return_ch_5',
      taken: 60,
    },
  ],
  payouts: [
    { id: 'po_1', status: 'paid', amount: 5, call: 'c_4' },
    { id: 'po_2', status: 'failed', amount: 6, call: null },
  ],
  others: [
    { id: 'dp_1', status: 'lost', state: 'lost', marks: ['a', 'b'] },
    { id: 'po_1', status: 'paid', state: 'paid', marks: ['a'] },
  ],
  operations: [
    { id: 'op_1', kind: 'authorize', subject: 'ch_1', charge: 'ch_1', state: 'done' },
    { id: 'op_2', kind: 'refund', subject: 're_1', charge: 'ch_1', state: 'done' },
    { id: 'op_3', kind: 'authorize', subject: 'ch_2', charge: 'ch_2', state: 'done' },
    { id: 'op_4', kind: 'capture', subject: 'ch_2', charge: 'ch_2', state: 'done' },
    { id: 'op_5', kind: 'authorize', subject: 'ch_3', charge: 'ch_3', state: 'done' },
    { id: 'op_6', kind: 'cancel', subject: 're_2', charge: 'ch_3', state: 'done' },
    { id: 'op_7', kind: 'authorize', subject: 'ch_4', charge: 'ch_4', state: 'done' },
    { id: 'op_10', kind: 'authorize', subject: 'ch_5', charge: 'ch_5', state: 'done' },
    { id: 'op_11', kind: 'payout', subject: 'po_1', charge: null, state: 'done' },
    { id: 'op_12', kind: 'payout', subject: 'po_2', charge: null, state: 'done' },
  ],
  charges: [
    {
      ...CHARGE,
      id: 'ch_1',
      status: 'succeeded',
      captureMethod: 'automatic',
      amount: 100,
      captured: 100,
      order: 'o_1',
    },
    {
      ...CHARGE,
      id: 'ch_2',
      status: 'succeeded',
      captureMethod: 'manual',
      amount: 50,
      captured: 40,
      order: 'o_2',
    },
    {
      ...CHARGE,
      id: 'ch_3',
      status: 'canceled',
      captureMethod: 'manual',
      amount: 70,
      captured: 0,
      order: 'o_3',
    },
    {
      ...CHARGE,
      id: 'ch_4',
      status: 'failed',
      captureMethod: 'automatic',
      amount: 80,
      captured: 0,
      order: 'o_4',
    },
    {
      ...CHARGE,
      id: 'ch_5',
      status: 'succeeded',
      captureMethod: 'automatic',
      amount: 60,
      captured: 60,
      order: 'o_5',
      isDebit: true,
    },
  ],
  refunds: [
    { id: 're_1', charge: 'ch_1', status: 'succeeded', amount: 30, call: 'c_1' },
    { id: 're_2', charge: 'ch_3', status: 'succeeded', amount: 70, call: 'c_2' },
  ],
  orders: [
    {
      id: 'o_1',
      charge: 'ch_1',
      state: 'succeeded',
      captured: 100,
      refunded: 30,
      marks: ['a', 'b'],
    },
    { id: 'o_2', charge: 'ch_2', state: 'succeeded', captured: 40, refunded: 0, marks: ['a', 'b'] },
    { id: 'o_3', charge: 'ch_3', state: 'canceled', captured: 0, refunded: 0, marks: ['a', 'b'] },
    { id: 'o_4', charge: 'ch_4', state: 'failed', captured: 0, refunded: 0, marks: ['a'] },
    { id: 'o_5', charge: 'ch_5', state: 'succeeded', captured: 60, refunded: 0, marks: ['a'] },
  ],
  returns: [{ call: 'c_1', refund: 're_1' }],
  events: [
    { type: 'charge.succeeded', charge: 'ch_1' },
    { type: 'charge.refunded', charge: 'ch_1' },
    { type: 'charge.captured', charge: 'ch_2' },
    { type: 'charge.failed', charge: 'ch_4' },
    { type: 'charge.pending', charge: 'ch_5' },
    { type: 'charge.succeeded', charge: 'ch_5' },
  ],
  // Of 108, a dispute took 20, and 98 were settled.
  clearing: [{ environment: 'test', amount: -10 }],
  asked: [
    {
      ...HTTP,
      what: 'charge',
      names: ['o_1'],
      answer: { verdict: 'done', ids: ['ch_1'], status: 'succeeded' },
    },
    {
      ...USING,
      what: 'charge',
      names: ['o_2', 'o_3'],
      answer: { verdict: 'done', ids: ['ch_2', 'ch_3'] },
    },
    {
      ...HTTP,
      what: 'charge',
      names: ['o_4'],
      answer: { verdict: 'failed', code: 'card_declined' },
    },
    { ...USING, what: 'refund', names: ['c_1'], answer: { verdict: 'done', ids: ['re_1'] } },
    {
      ...HTTP,
      what: 'refund',
      names: ['c_2'],
      answer: { verdict: 'done', ids: ['re_2'], status: 'pending' },
    },
    {
      ...HTTP,
      what: 'refund',
      names: ['c_3'],
      answer: { verdict: 'refused', code: 'balance_insufficient' },
    },
    { ...USING, what: 'charge', names: ['o_9'], answer: { verdict: 'rolled back' } },
    {
      ...HTTP,
      what: 'capture',
      names: ['o_2'],
      answer: { verdict: 'done', ids: ['ch_2'], status: 'succeeded' },
    },
    {
      ...HTTP,
      what: 'payout',
      names: ['c_4'],
      answer: { verdict: 'done', ids: ['po_1'], status: 'pending' },
    },
    {
      ...HTTP,
      what: 'answer',
      names: ['c_5'],
      answer: { verdict: 'done', ids: ['dp_1'], status: 'under_review' },
    },
  ],
};

/** Items without the one at `index`, or with another in its place. */
function put<Item>(items: readonly Item[], index: number, ...instead: readonly Item[]): Item[] {
  return items.toSpliced(index, 1, ...instead);
}

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new RangeError(`There is no item ${index}.`);
  return item;
}

describe('the laws of the money run', () => {
  const { journal, charges, refunds, orders, events, asked } = AGREED;
  const { aftermath, chargebacks, payouts, others } = AGREED;
  const planted: Readonly<Record<string, readonly [part: Partial<Everything>, says: string]>> = {
    'a line that the journal lost': [
      { journal: put(journal, 0) },
      "Charge ch_1 is succeeded 100, and by the bank's journal failed 0.",
    ],
    'a sale that the bank made twice': [
      { journal: [...journal, at(journal, 0)] },
      'The bank did op_1 2 times.',
    ],
    'a second operation for one capture': [
      { journal: [...journal, { ...at(journal, 3), operationId: 'op_7' }] },
      'The bank did two operations for one capture of ch_2.',
    ],
    'a line that no operation asks for': [
      { journal: [...journal, { ...at(journal, 6), operationId: 'op_8' }] },
      'The bank did op_8, which no committed operation asks for.',
    ],
    'a charge that was lost': [
      { charges: put(charges, 1) },
      'The bank moved money for ch_2, which is no charge.',
    ],
    'a capture of another amount': [
      { journal: put(journal, 3, { ...at(journal, 3), amount: 41 }) },
      "Charge ch_2 is succeeded 40, and by the bank's journal succeeded 41.",
    ],
    'a cancel that the charge knows nothing of': [
      { charges: put(charges, 2, { ...at(charges, 2), status: 'authorized' }) },
      "Charge ch_3 is authorized 0, and by the bank's journal canceled 0.",
    ],
    'a refund that failed here and was made there': [
      { refunds: put(refunds, 0, { ...at(refunds, 0), status: 'failed' }) },
      "Refund re_1 is failed, and by the bank's journal succeeded.",
    ],
    'a refund that was lost': [
      { refunds: put(refunds, 0) },
      'The bank returned money for re_1, which is no refund.',
    ],
    'a refund of more than there was': [
      {
        journal: put(journal, 1, { ...at(journal, 1), amount: 130 }),
        refunds: put(refunds, 0, { ...at(refunds, 0), amount: 130 }),
      },
      'Of charge ch_1 the bank returned 130 of 100.',
    ],
    'a ledger that says another sum': [
      { clearing: [{ environment: 'test', amount: -8 }] },
      'The ledger says that the bank owes -8 in test; its journal says -10.',
    ],
    'a settlement that was not booked': [
      { aftermath: { ...aftermath, settlements: [] } },
      'The ledger says that the bank owes -10 in test; its journal says 88.',
    ],
    'a dispute that was lost': [
      { chargebacks: put(chargebacks, 0) },
      'Dispute case_1 of ch_1 is not here, at the bank lost, with 20 taken.',
    ],
    'a dispute that ended otherwise at the bank': [
      {
        aftermath: {
          ...aftermath,
          cases: [{ ...at(aftermath.cases, 0), status: 'won', taken: 0 }],
        },
      },
      'Dispute case_1 of ch_1 is lost, with 20 taken, at the bank won, with 0 taken.',
    ],
    'a dispute that took money twice': [
      { chargebacks: put(chargebacks, 0, { ...at(chargebacks, 0), taken: 40 }) },
      'Dispute case_1 of ch_1 is lost, with 40 taken, at the bank lost, with 20 taken.',
    ],
    'a dispute that no issuer opened': [
      { aftermath: { ...aftermath, cases: [] } },
      'No issuer has opened dispute dp_1, case_1.',
    ],
    'a debit that came back and was kept': [
      { chargebacks: put(chargebacks, 1) },
      'Debit ch_5 came back, and has no dispute.',
    ],
    'a payout that came back and counts as paid': [
      { payouts: put(payouts, 1, { ...at(payouts, 1), status: 'paid' }) },
      "Payout po_2 is paid, and by the bank's journal failed.",
    ],
    'a payout that the bank made, and that failed here': [
      { payouts: put(payouts, 0, { ...at(payouts, 0), status: 'failed' }) },
      "Payout po_1 is failed, and by the bank's journal paid.",
    ],
    'a payout that was lost': [
      { payouts: put(payouts, 0) },
      'The bank paid po_1, which is no payout.',
    ],
    'a payout of another amount': [
      { payouts: put(payouts, 0, { ...at(payouts, 0), amount: 7 }) },
      'Payout po_1 is of 7, and the bank was asked for 5.',
    ],
    'a dispute of which the hook was not told': [
      { others: put(others, 0, { ...at(others, 0), state: 'needs_response' }) },
      "The host's row of dp_1 says needs_response, and it is lost.",
    ],
    'a payout of which the hook was told twice': [
      { others: put(others, 1, { ...at(others, 1), marks: ['a', 'a'] }) },
      'The hook marked po_1 twice: a, a.',
    ],
    'an order that the hook left behind': [
      { orders: put(orders, 0, { ...at(orders, 0), refunded: 0 }) },
      'Order o_1 says ch_1 succeeded 100 refunded 0, and its charge ch_1 succeeded 100 refunded 30.',
    ],
    'a result that the hook was told twice': [
      { orders: put(orders, 3, { ...at(orders, 3), marks: ['a', 'a'] }) },
      'The hook marked order o_4 twice: a, a.',
    ],
    'a charge without its order': [{ orders: put(orders, 1) }, 'Charge ch_2 has no order.'],
    'an order without its charge': [
      { orders: [...orders, { ...at(orders, 0), id: 'o_9' }] },
      'Order o_9 has 0 charges.',
    ],
    'an event that was lost': [
      { events: put(events, 2) },
      'Charge ch_2 has the events "" instead of "charge.captured".',
    ],
    'an event too many': [
      { events: [...events, { type: 'charge.refunded', charge: 'ch_1' }] },
      'Charge ch_1 has the events "charge.succeeded charge.refunded charge.refunded" ' +
        'instead of "charge.succeeded charge.refunded".',
    ],
    'a caller who was never answered': [
      { asked: [{ ...HTTP, what: 'charge', names: ['o_1'] }] },
      'The charge o_1 by http: nobody knows what became of it.',
    ],
    'a caller who was told of another charge': [
      {
        asked: [
          { ...HTTP, what: 'charge', names: ['o_1'], answer: { verdict: 'done', ids: ['ch_9'] } },
        ],
      },
      'The charge o_1 by http: it was answered ch_9 committed, and there is ch_1 succeeded.',
    ],
    'a caller who was told of a decline that was none': [
      { asked: [{ ...at(asked, 2), names: ['o_1'] }] },
      'The charge o_1 by http: it was answered card_declined, and there is ch_1 succeeded.',
    ],
    'a caller who was refused what was done': [
      { asked: [{ ...at(asked, 5), names: ['c_2'] }] },
      'The refund c_2 by http: it was refused with balance_insufficient, and there is re_2 succeeded.',
    ],
    'a host that rolled back what was done': [
      { asked: [{ ...at(asked, 6), names: ['o_1'] }] },
      'The charge o_1 by using: it was rolled back, and there is ch_1 succeeded.',
    ],
    "a host's row without its refund": [
      { returns: [] },
      "The refund c_1 by using: the host's row names none.",
    ],
  };

  it('hold for data that agree', () => {
    expect(checkMoney(AGREED)).to.deep.equal([]);
  });

  it('hold for a cancel that never reached the bank', () => {
    const lost = { id: 'op_9', kind: 'cancel', subject: 'ch_2', charge: 'ch_2', state: 'failed' };
    const operations = [...AGREED.operations, { ...lost, kind: 'cancel' as const }];
    expect(checkMoney({ ...AGREED, operations })).to.deep.equal([]);
  });

  for (const [fault, [part, says]] of Object.entries(planted)) {
    it(`find ${fault}`, () => {
      const found = checkMoney({ ...AGREED, ...part });
      expect(found.filter((sentence) => sentence.startsWith(says))).not.to.deep.equal([]);
    });
  }
});
