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

/** A sale of 100 of which 30 came back, an authorization of 50 captured with 40, one released. */
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
  ],
  operations: [
    { id: 'op_1', kind: 'authorize', subject: 'ch_1', charge: 'ch_1', state: 'done' },
    { id: 'op_2', kind: 'refund', subject: 're_1', charge: 'ch_1', state: 'done' },
    { id: 'op_3', kind: 'authorize', subject: 'ch_2', charge: 'ch_2', state: 'done' },
    { id: 'op_4', kind: 'capture', subject: 'ch_2', charge: 'ch_2', state: 'done' },
    { id: 'op_5', kind: 'authorize', subject: 'ch_3', charge: 'ch_3', state: 'done' },
    { id: 'op_6', kind: 'cancel', subject: 're_2', charge: 'ch_3', state: 'done' },
    { id: 'op_7', kind: 'authorize', subject: 'ch_4', charge: 'ch_4', state: 'done' },
  ],
  charges: [
    {
      id: 'ch_1',
      status: 'succeeded',
      captureMethod: 'automatic',
      amount: 100,
      captured: 100,
      order: 'o_1',
    },
    {
      id: 'ch_2',
      status: 'succeeded',
      captureMethod: 'manual',
      amount: 50,
      captured: 40,
      order: 'o_2',
    },
    {
      id: 'ch_3',
      status: 'canceled',
      captureMethod: 'manual',
      amount: 70,
      captured: 0,
      order: 'o_3',
    },
    {
      id: 'ch_4',
      status: 'failed',
      captureMethod: 'automatic',
      amount: 80,
      captured: 0,
      order: 'o_4',
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
  ],
  returns: [{ call: 'c_1', refund: 're_1' }],
  events: [
    { type: 'charge.succeeded', charge: 'ch_1' },
    { type: 'charge.refunded', charge: 'ch_1' },
    { type: 'charge.captured', charge: 'ch_2' },
    { type: 'charge.failed', charge: 'ch_4' },
  ],
  clearing: [{ environment: 'test', amount: 108 }],
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
    { ...USING, what: 'charge', names: ['o_5'], answer: { verdict: 'rolled back' } },
    {
      ...HTTP,
      what: 'capture',
      names: ['o_2'],
      answer: { verdict: 'done', ids: ['ch_2'], status: 'succeeded' },
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
      { clearing: [{ environment: 'test', amount: 110 }] },
      'The ledger says that the bank owes 110 in test; its journal says 108.',
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
