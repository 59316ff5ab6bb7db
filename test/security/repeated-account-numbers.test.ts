import { expect } from 'chai';
import type { Outcome } from 'paymount/processor';
import { everyRow } from '../support/canary-remains.ts';
import { query } from '../support/database.ts';
import { type NoticeSetup, startNoticeSetup } from '../support/notifying-bank.ts';
import { PaidOut } from '../support/paid-out.ts';
import { type WrittenLog, writtenLog } from '../support/written-log.ts';

const SECOND_MS = 1_000;
const NUMBER = '000123456789';
/** As texts of banks write it. */
const SPACED = '0001 2345 6789';

describe('an account number that an adapter repeats', () => {
  let log: WrittenLog;
  let setup: NoticeSetup;
  let shop: PaidOut;

  before(async () => {
    log = writtenLog();
    setup = await startNoticeSetup({ logger: log.logger });
    shop = new PaidOut(setup, setup.clock);
    await setup.paymount.accounts.update(setup.account, { email: 'owner@shop.test' });
    await shop.earn(1_000_000);
  });
  after(() => setup.close());

  /** Pays out to a bank that answers so. @returns the payout as the API shows it */
  async function payOut(answer: () => Promise<Outcome>): Promise<Record<string, unknown>> {
    Object.assign(setup.bank, { payout: answer });
    await shop.addBank(NUMBER);
    const { body } = await setup
      .post('/v1/payouts', { amount: 1_000, currency: 'eur' })
      .expect(200);
    await setup.pass(11 * SECOND_MS);
    return (await setup.get(`/v1/payouts/${body.id}`)).body;
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
    const kept = await everyRow(setup.databaseUrl);
    expect(kept).to.include('ending in 89');
    expect(kept).to.not.include(NUMBER);
    expect(kept).to.not.include(SPACED);
    const mails = JSON.stringify(setup.mails);
    expect(mails).to.include('ending in 89');
    expect(mails).to.not.include(NUMBER);
  });

  /** Sends a bank account to a bank that answers so. @returns what the caller reads */
  async function addMethod(key: string, answer: () => Promise<object>): Promise<string> {
    const { tokenize } = setup.bank;
    Object.assign(setup.bank, { tokenize: answer });
    const bank = { account_number: NUMBER, routing_number: '110000000' };
    const { text } = await setup
      .post('/v1/payment_methods', { type: 'us_bank_account', us_bank_account: bank })
      .set('Idempotency-Key', key);
    Object.assign(setup.bank, { tokenize });
    return text;
  }

  it('is hidden when a look-up refuses a debit, wherever that is kept and shown', async () => {
    const account_number = '000000000009';
    const bank = { account_number, routing_number: '110000000' };
    const { body: method } = await setup
      .post('/v1/payment_methods', {
        type: 'us_bank_account',
        us_bank_account: bank,
        mandate_data: { customer_acceptance: { type: 'online' } },
      })
      .expect(200);
    const sale = { amount: 1_000, currency: 'usd', payment_method: method.id };
    const { body: debit } = await setup.post('/v1/charges', sale).expect(200);
    setup.bank.found = {
      outcome: 'declined',
      code: 'account_closed',
      declineCode: 'closed',
      retry: 'never',
      message: `Account ${account_number} is closed.`,
    };
    await setup.pass(25 * 60 * 60 * SECOND_MS);
    setup.bank.found = undefined;
    const { body: failed } = await setup.get(`/v1/charges/${debit.id}`);
    expect(failed.failure_message).to.equal('Account (account number ending in 09) is closed.');
    expect(await everyRow(setup.databaseUrl)).to.not.include(account_number);
  });

  /** A bank account of the sandbox whose debits stay pending. */
  const PENDING = '000000000009';

  async function debit(account_number = PENDING): Promise<{ id: string; reference: string }> {
    const bank = { account_number, routing_number: '110000000' };
    const { body: method } = await setup
      .post('/v1/payment_methods', {
        type: 'us_bank_account',
        us_bank_account: bank,
        mandate_data: { customer_acceptance: { type: 'online' } },
      })
      .expect(200);
    const sale = { amount: 1_000, currency: 'usd', payment_method: method.id };
    const { body } = await setup.post('/v1/charges', sale).expect(200);
    return { id: body.id, reference: body.processor.reference };
  }

  const failure = async (path: string): Promise<unknown> =>
    (await setup.get(path).expect(200)).body.failure_message;

  it('is hidden when a look-up refuses a debit whose number was corrected since', async () => {
    const { id } = await debit();
    const [{ token } = { token: '' }] = await query<{ token: string }>(
      setup.databaseUrl,
      `SELECT p.processor_token AS token FROM paymount.payment_methods p
        JOIN paymount.charges c ON c.payment_method_id = p.id WHERE c.id = $1`,
      [id],
    );
    const data = { processorToken: token, accountNumber: '73190064528' };
    await setup.deliver({ kind: 'account_update', data });
    setup.bank.found = {
      outcome: 'declined',
      code: 'account_closed',
      declineCode: 'closed',
      retry: 'never',
      message: 'Account 0000 0000 0009 is closed.',
    };
    await setup.pass(25 * 60 * 60 * SECOND_MS);
    setup.bank.found = undefined;
    expect(await failure(`/v1/charges/${id}`)).to.equal(
      'Account (account number ending in 09) is closed.',
    );
    expect(await everyRow(setup.databaseUrl)).to.not.include('0000 0000 0009');
  });

  it('is hidden in the log when a look-up fails', async () => {
    await debit();
    const { lookup } = setup.bank;
    Object.assign(setup.bank, {
      lookup: async () => {
        const cause = new Error(`No answer about ${SPACED}.`);
        throw Object.assign(new Error(`GET /debits/${NUMBER} failed`, { cause }), { NUMBER });
      },
    });
    await setup.pass(25 * 60 * 60 * SECOND_MS);
    Object.assign(setup.bank, { lookup });
    expect(log.text()).to.include('GET /debits/(account number ending in 89) failed');
    expect(log.text()).to.match(/call-processor\.ts:\d+:\d+/);
    expect(log.text()).to.not.include(NUMBER);
    expect(log.text()).to.not.include(SPACED);
  });

  it('is hidden in the notice of a failure, and in what that fails', async () => {
    const { id, reference } = await debit();
    const message = `Account ${NUMBER} (${SPACED}) is closed.`;
    const data = { code: 'account_closed', message };
    await setup.deliver({ kind: 'charge.failed', processorReference: reference, data });
    expect(await failure(`/v1/charges/${id}`)).to.equal(
      'Account (account number ending in 89) ((account number ending in 89)) is closed.',
    );
    for (const kind of ['payout.failed', 'refund.failed']) {
      await setup.deliver({ kind, processorReference: 'nobody_has_it', data });
    }
    const kept = await everyRow(setup.databaseUrl);
    expect(kept).to.not.include(NUMBER);
    expect(kept).to.not.include(SPACED);
  });

  it('is a number of a bank account: the message about a card stays as it is', async () => {
    const sale = { amount: 1_000, currency: 'eur', source: 'tok_timeout_declined' };
    const { body } = await setup.post('/v1/charges', sale).expect(200);
    setup.bank.found = {
      outcome: 'declined',
      code: 'card_declined',
      declineCode: 'closed',
      retry: 'never',
      message: 'The issuer says 1234.',
    };
    await setup.pass(41 * SECOND_MS);
    setup.bank.found = undefined;
    expect(await failure(`/v1/charges/${body.id}`)).to.equal('The issuer says 1234.');
  });

  it('is hidden when the bank refuses a payment method, and in the answer that is kept', async () => {
    const text = await addMethod('refused', async () => ({
      result: 'refused',
      code: 'card_declined',
      message: `Account ${SPACED} is closed.`,
    }));
    expect(text).to.include('"Account (account number ending in 89) is closed."');
    const kept = await everyRow(setup.databaseUrl);
    expect(kept).to.include('ending in 89) is closed.');
    expect(kept).to.not.include(NUMBER);
    expect(kept).to.not.include(SPACED);
  });

  it('is hidden when the bank refuses an external account, and in the answer that is kept', async () => {
    const { checkBankAccount } = setup.bank;
    Object.assign(setup.bank, {
      checkBankAccount: async () => ({
        result: 'refused',
        code: 'parameter_invalid',
        message: `Account ${SPACED} takes no payouts.`,
      }),
    });
    const sent = { object: 'bank_account', country: 'US', currency: 'usd' };
    const numbers = { account_number: NUMBER, routing_number: '110000000' };
    const { text } = await setup
      .post(`/v1/accounts/${setup.account}/external_accounts`, {
        external_account: { ...sent, ...numbers },
      })
      .set('Idempotency-Key', 'add-external-account');
    Object.assign(setup.bank, { checkBankAccount });
    expect(text).to.include('"Account (account number ending in 89) takes no payouts."');
    expect(await everyRow(setup.databaseUrl)).to.not.include(SPACED);
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
