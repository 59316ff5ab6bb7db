import { expect } from 'chai';
import type { Outcome } from 'paymount/processor';
import { everyRow } from '../support/canary-remains.ts';
import { type NoticeDesk, startNoticeDesk } from '../support/notifying-bank.ts';
import { PaidOut } from '../support/paid-out.ts';
import { type WrittenLog, writtenLog } from '../support/written-log.ts';

const SECOND_MS = 1_000;
const NUMBER = '000123456789';
/** As texts of banks write it. */
const SPACED = '0001 2345 6789';

describe('an account number that an adapter repeats', () => {
  let log: WrittenLog;
  let desk: NoticeDesk;
  let shop: PaidOut;

  before(async () => {
    log = writtenLog();
    desk = await startNoticeDesk({ logger: log.logger });
    shop = new PaidOut(desk, desk.clock);
    await desk.paymount.accounts.update(desk.account, { email: 'owner@shop.test' });
    await shop.earn(1_000_000);
  });
  after(() => desk.close());

  /** Pays out to a bank that answers so. @returns the payout as the API shows it */
  async function payOut(answer: () => Promise<Outcome>): Promise<Record<string, unknown>> {
    Object.assign(desk.bank, { payout: answer });
    await shop.addBank(NUMBER);
    const { body } = await desk.post('/v1/payouts', { amount: 1_000, currency: 'eur' }).expect(200);
    await desk.pass(11 * SECOND_MS);
    return (await desk.get(`/v1/payouts/${body.id}`)).body;
  }

  it('is hidden in the message of a refusal, wherever that is kept and shown', async () => {
    const payout = await payOut(async () => ({
      outcome: 'declined',
      code: 'no_account',
      declineCode: 'no_account',
      message: `Account ${NUMBER} (${SPACED}) is unknown.`,
      retry: 'never',
    }));
    expect(payout['failure_message']).to.equal(
      'Account (account number ending in 89) ((account number ending in 89)) is unknown.',
    );
    const kept = await everyRow(desk.databaseUrl);
    expect(kept).to.include('ending in 89');
    expect(kept).to.not.include(NUMBER);
    expect(kept).to.not.include(SPACED);
    const mails = JSON.stringify(desk.mails);
    expect(mails).to.include('ending in 89');
    expect(mails).to.not.include(NUMBER);
  });

  /** Sends a bank account to a bank that answers so. @returns what the caller reads */
  async function addMethod(key: string, answer: () => Promise<object>): Promise<string> {
    const { tokenize } = desk.bank;
    Object.assign(desk.bank, { tokenize: answer });
    const bank = { account_number: NUMBER, routing_number: '110000000' };
    const { text } = await desk
      .post('/v1/payment_methods', { type: 'us_bank_account', us_bank_account: bank })
      .set('Idempotency-Key', key);
    Object.assign(desk.bank, { tokenize });
    return text;
  }

  it('is hidden when a look-up refuses a debit, wherever that is kept and shown', async () => {
    const account_number = '000000000009';
    const bank = { account_number, routing_number: '110000000' };
    const { body: method } = await desk
      .post('/v1/payment_methods', {
        ...{ type: 'us_bank_account', us_bank_account: bank },
        mandate_data: { customer_acceptance: { type: 'online' } },
      })
      .expect(200);
    const sale = { amount: 1_000, currency: 'usd', payment_method: method.id };
    const { body: debit } = await desk.post('/v1/charges', sale).expect(200);
    desk.bank.found = {
      ...{ outcome: 'declined', code: 'account_closed', declineCode: 'closed', retry: 'never' },
      message: `Account ${account_number} is closed.`,
    };
    await desk.pass(25 * 60 * 60 * SECOND_MS);
    desk.bank.found = undefined;
    const { body: failed } = await desk.get(`/v1/charges/${debit.id}`);
    expect(failed.failure_message).to.equal('Account (account number ending in 09) is closed.');
    expect(await everyRow(desk.databaseUrl)).to.not.include(account_number);
  });

  it('is hidden when the bank refuses a payment method, and in the answer that is kept', async () => {
    const text = await addMethod('refused', async () => ({
      ...{ result: 'refused', code: 'card_declined' },
      message: `Account ${SPACED} is closed.`,
    }));
    expect(text).to.include('"Account (account number ending in 89) is closed."');
    const kept = await everyRow(desk.databaseUrl);
    expect(kept).to.include('ending in 89) is closed.');
    expect(kept).to.not.include(NUMBER);
    expect(kept).to.not.include(SPACED);
  });

  it('is hidden when the bank refuses an external account, and in the answer that is kept', async () => {
    const { checkBankAccount } = desk.bank;
    Object.assign(desk.bank, {
      checkBankAccount: async () => ({
        ...{ result: 'refused', code: 'parameter_invalid' },
        message: `Account ${SPACED} takes no payouts.`,
      }),
    });
    const sent = { object: 'bank_account', country: 'US', currency: 'usd' };
    const numbers = { account_number: NUMBER, routing_number: '110000000' };
    const { text } = await desk
      .post(`/v1/accounts/${desk.account}/external_accounts`, {
        external_account: { ...sent, ...numbers },
      })
      .set('Idempotency-Key', 'add-external-account');
    Object.assign(desk.bank, { checkBankAccount });
    expect(text).to.include('"Account (account number ending in 89) takes no payouts."');
    expect(await everyRow(desk.databaseUrl)).to.not.include(SPACED);
  });

  it('is hidden in the log when a bank account cannot be read', async () => {
    await addMethod('failed', async () => {
      throw Object.assign(new Error(`POST /tokens {"number":"${NUMBER}"} failed`), {
        request: { body: NUMBER },
      });
    });
    expect(log.text()).to.include('POST /tokens');
    expect(log.text()).to.not.include(NUMBER);
  });

  it('is hidden in the log when a call fails', async () => {
    await payOut(() => {
      const cause = new Error(`connect to /accounts/${SPACED}`);
      throw Object.assign(
        new Error(`POST /transfers {"account_number":"${NUMBER}"} failed`, { cause }),
        { request: { body: NUMBER } },
      );
    });
    expect(log.text()).to.include('POST /transfers');
    expect(log.text()).to.not.include(NUMBER);
    expect(log.text()).to.not.include(SPACED);
  });
});
