import { expect } from 'chai';
import { newId } from '../../../../../packages/core/src/kernel/basics/id.ts';
import { parseNotice } from '../../../../../packages/core/src/payments/notices/parse-notice.ts';

const settled = {
  noticeId: 'n_1',
  kind: 'charge.settled',
  processorReference: 'pay_1',
  occurredAt: '2026-11-25T10:00:00+01:00',
  data: { amount: 4200, currency: 'EUR', fee: null, unknown: 'ignored' },
};

describe('A notice of an adapter', () => {
  it('is read with its time as a Date and its currency in lower case', () => {
    expect(parseNotice(settled)).to.deep.equal({
      result: {
        noticeId: 'n_1',
        kind: 'charge.settled',
        processorReference: 'pay_1',
        occurredAt: new Date('2026-11-25T09:00:00.000Z'),
        data: { amount: 4200, currency: 'eur' },
      },
    });
  });

  it('takes a dispute for contestable unless it says otherwise', () => {
    const data = { disputeReference: 'd_1', amount: 4200, currency: 'eur', reason: 'fraudulent' };
    expect(parseNotice({ ...settled, kind: 'dispute.opened', data })).to.have.nested.property(
      'result.data.contestable',
      true,
    );
  });

  it('needs no reference only if it belongs to no operation', () => {
    const { processorReference: _, ...unnamed } = settled;
    const update = { processorToken: 'tok_1', expMonth: 12, expYear: 2030 };
    expect(parseNotice({ ...unnamed, kind: 'account_update', data: update })).to.have.property(
      'result',
    );
    expect(parseNotice({ ...unnamed, operationId: newId('op') })).to.have.property('result');
    expect(parseNotice(unnamed)).to.deep.equal({
      unreadable: {
        path: 'processorReference',
        issue:
          'must be a text if operationId is absent, in a notice of kind charge.settled; it is absent',
      },
    });
  });

  for (const { name, notice, path, issue } of [
    { name: 'nothing', notice: undefined, path: '', issue: 'must be an object; it is absent' },
    {
      name: 'an empty id',
      notice: { ...settled, noticeId: '' },
      path: 'noticeId',
      issue:
        'must be a text of 1 to 255 characters that does not begin with unreadable:; it is a text of 0 characters',
    },
    {
      name: 'an id that is not of an operation',
      notice: { ...settled, operationId: 'op_1' },
      path: 'operationId',
      issue: 'must be the id of an operation, or absent; it is a text of 4 characters',
    },
    {
      name: 'an amount as a text',
      notice: { ...settled, data: { amount: '4200', currency: 'eur' } },
      path: 'data.amount',
      issue: 'must be an integer from 1 to 999999999999; it is a text of 4 characters',
    },
    {
      name: 'a time without an offset',
      notice: { ...settled, occurredAt: '2026-11-25T10:00:00' },
      path: 'occurredAt',
      issue:
        'must be an ISO 8601 time with an offset, a date, or a Date, from 1970 to 9999; it is a text of 19 characters',
    },
    {
      name: 'no data',
      notice: { ...settled, data: undefined },
      path: 'data',
      issue: 'must be an object; it is absent',
    },
  ]) {
    it(`is refused with the member named, for ${name}`, () => {
      expect(parseNotice(notice)).to.deep.equal({ unreadable: { path, issue } });
    });
  }

  it('is refused with the known kinds, for an unknown kind', () => {
    expect(parseNotice({ ...settled, kind: 'charge.refunded' }))
      .to.have.nested.property('unreadable.issue')
      .that.matches(/^must be one of charge\.settled, charge\.failed, .*; it is a text of 15 /);
  });
});
