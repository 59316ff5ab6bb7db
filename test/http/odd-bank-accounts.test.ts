import { expect } from 'chai';
import type { Processor } from 'paymount/processor';
import { BANK_NUMBERS, MANDATE } from '../support/debit-shop.ts';
import { type NoticeSetup, startNoticeSetup } from '../support/notifying-bank.ts';
import { BANK } from '../support/paid-out.ts';

const ACCEPTED = { country: 'US', accountNumber: '000123456789', routingNumber: '110000000' };

describe('A bank account that the processor describes oddly', () => {
  let setup: NoticeSetup;
  let odd: object = {};

  before(async () => {
    setup = await startNoticeSetup();
    // Whatever an adapter answers is read as unknown.
    const answer = () => ({
      result: 'accepted',
      bankAccount: { ...ACCEPTED, last4: '6789', ...odd },
    });
    Object.assign(setup.bank, { checkBankAccount: async () => answer() });
  });
  after(() => setup.close());
  afterEach(() => expect(setup.errors).to.deep.equal([]));

  const add = () =>
    setup.post(`/v1/accounts/${setup.account}/external_accounts`, { external_account: BANK });

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

  it('is added with the name of its bank on one line, and without one that is blank', async () => {
    odd = { bankName: 'Test\u202eBank ' };
    expect((await add().expect(200)).body.bank_name).to.equal('Test Bank');
    odd = { bankName: '   ' };
    expect((await add().expect(200)).body.bank_name).to.equal(null);
  });

  it('is saved as a payment method, too, when names are blank', async () => {
    const blank = { last4: '6789', bankName: ' ', accountHolderName: '\t' };
    const tokenize: Processor['tokenize'] = async (input) => {
      if (!('usBankAccount' in input)) return { result: 'unknown_token' };
      const usBankAccount = { ...input.usBankAccount, ...blank };
      return { result: 'tokenized', facts: { type: input.type, usBankAccount } };
    };
    Object.assign(setup.bank, { tokenize });
    const { body } = await setup
      .post('/v1/payment_methods', {
        type: 'us_bank_account',
        us_bank_account: BANK_NUMBERS,
        mandate_data: MANDATE,
      })
      .expect(200);
    expect(body.us_bank_account).to.include({ bank_name: null, last4: '6789' });
    expect(body.billing_details.name).to.equal(null);
  });
});
