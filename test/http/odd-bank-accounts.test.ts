import { expect } from 'chai';
import { type NoticeDesk, startNoticeDesk } from '../support/notifying-bank.ts';
import { BANK } from '../support/paid-out.ts';

const ACCEPTED = { country: 'US', accountNumber: '000123456789', routingNumber: '110000000' };

describe('A bank account that the processor describes oddly', () => {
  let desk: NoticeDesk;
  let odd: object = {};

  before(async () => {
    desk = await startNoticeDesk();
    // Whatever an adapter answers is read as unknown.
    const answer = () => ({
      result: 'accepted',
      bankAccount: { ...ACCEPTED, last4: '6789', ...odd },
    });
    Object.assign(desk.bank, { checkBankAccount: async () => answer() });
  });
  after(() => desk.close());
  afterEach(() => expect(desk.errors).to.deep.equal([]));

  const add = () =>
    desk.post(`/v1/accounts/${desk.account}/external_accounts`, { external_account: BANK });

  for (const [title, answered] of [
    ['last four digits of NUL', { last4: '\0\0\0\0' }],
    ['half a character', { last4: '\ud800' }],
    ['no country', { country: '' }],
    ['a country that is none', { country: 'Germany' }],
  ] as const) {
    it(`is not added with ${title}`, async () => {
      odd = answered;
      const { status, body } = await add();
      expect([status, body.error.code]).to.deep.equal([502, 'processor_error']);
    });
  }

  it('is added without the characters that cannot be stored, its country in upper case', async () => {
    odd = { last4: '6789\0', routingNumber: '1100\u000000000', country: 'us' };
    const { body } = await add().expect(200);
    expect(body).to.include({ last4: '6789', routing_number: '110000000', country: 'US' });
  });
});
