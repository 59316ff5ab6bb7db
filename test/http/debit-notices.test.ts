import { expect } from 'chai';
import { everyRow } from '../support/canary-remains.ts';
import { query } from '../support/database.ts';
import { BANK_NUMBERS, MANDATE } from '../support/debit-shop.ts';
import { ofToday } from '../support/depth.ts';
import { eventually } from '../support/eventually.ts';
import {
  type NoticeSetup,
  notice,
  type SentNotice,
  startNoticeSetup,
} from '../support/notifying-bank.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const AMOUNT = { amount: 5_000, currency: 'usd' };
const SETTLED = { kind: 'charge.settled', data: AMOUNT };

type Json = Readonly<Record<string, unknown>>;
type Sent = Parameters<NoticeSetup['bank']['authorize']>[0]['paymentMethod'];
type Outcome = Awaited<ReturnType<NoticeSetup['bank']['authorize']>>;

/** The failure of each return code of a debit, and whether it blocks the payment method; R85 has no meaning here. */
const RETURNS: readonly (readonly [code: string, failure: string, blocks: boolean])[] = [
  ['R01', 'insufficient_funds', false],
  ['R02', 'account_closed', true],
  ['R03', 'no_account', true],
  ['R04', 'bank_account_unusable', true],
  ['R05', 'debit_not_authorized', true],
  ['R06', 'bank_account_declined', false],
  ['R07', 'debit_not_authorized', true],
  ['R08', 'debit_not_authorized', true],
  ['R09', 'insufficient_funds', false],
  ['R10', 'debit_not_authorized', true],
  ['R11', 'debit_not_authorized', true],
  ['R12', 'routing_number_invalid', false],
  ['R13', 'routing_number_invalid', false],
  ['R14', 'bank_account_restricted', true],
  ['R15', 'bank_account_restricted', true],
  ['R16', 'bank_account_restricted', true],
  ['R17', 'bank_account_declined', false],
  ['R18', 'bank_account_declined', false],
  ['R19', 'bank_account_declined', false],
  ['R20', 'bank_account_unusable', true],
  ['R21', 'bank_account_declined', false],
  ['R22', 'bank_account_declined', false],
  ['R23', 'bank_account_declined', false],
  ['R24', 'bank_account_declined', false],
  ['R25', 'bank_account_declined', false],
  ['R26', 'bank_account_declined', false],
  ['R27', 'bank_account_declined', false],
  ['R28', 'routing_number_invalid', false],
  ['R29', 'debit_not_authorized', true],
  ['R31', 'debit_not_authorized', true],
  ['R32', 'bank_account_declined', false],
  ['R34', 'routing_number_invalid', false],
  ['R35', 'bank_account_declined', false],
  ['R85', 'bank_account_declined', false],
];

describe('Notices about bank debits', () => {
  let setup: NoticeSetup;
  const sent: Sent[] = [];

  before(async () => {
    setup = await startNoticeSetup({ disputeFees: () => FEE });
    const { bank } = setup;
    const authorize = bank.authorize.bind(bank);
    bank.authorize = async (operation) => {
      sent.push(operation.paymentMethod);
      const { processorToken } = operation.paymentMethod;
      // The sandbox knows no corrected number, and the token says which bank account is meant.
      return authorize({ ...operation, paymentMethod: { processorToken } });
    };
  });
  after(() => setup.close());
  afterEach(async () => {
    setup.forget();
    expect(await setup.paymount.verify()).to.deep.equal([]);
  });

  const FEE = { amount: 1_500, details: [{ amount: 1_500, type: 'dispute_fee', description: '' }] };
  const charge = async (id: string): Promise<Json> => (await setup.get(`/v1/charges/${id}`)).body;
  const method = async (id: unknown): Promise<Json> =>
    (await setup.get(`/v1/payment_methods/${id}`)).body;
  const eventsOf = async (id: unknown): Promise<readonly string[]> => {
    const { body } = await setup.get('/v1/events?limit=100').expect(200);
    return body.data
      .filter((event: { data: { object: { id: string } } }) => event.data.object.id === id)
      .map((event: { type: string }) => event.type)
      .toReversed();
  };
  const countEvents = async (): Promise<number> =>
    (await query(setup.databaseUrl, 'SELECT FROM paymount.events')).length;
  /** `processing` never ends by itself, so that only notices end it. */
  const debit = async (name = 'processing') => {
    const body = { ...AMOUNT, payment_method: `pm_usBankAccount_${name}` };
    const made = await setup.post('/v1/charges', body).expect(200);
    const { id, processor } = made.body as { id: string; processor: { reference: string } };
    return { id, reference: processor.reference, operationId: operationOf(id) };
  };
  const operationOf = (subject: string): string =>
    setup.bank.calls.find(({ reference }) => reference === subject)?.operationId ?? '';
  const returned = (returnCode: string, more: object = {}): SentNotice => ({
    kind: 'charge.failed',
    data: { code: 'as_the_bank_says', message: 'It came back.', returnCode },
    ...more,
  });
  const available = async (): Promise<number> => {
    const { body } = await setup.get('/v1/balance');
    const [usd] = body.available as { amount: number }[];
    return usd?.amount ?? 0;
  };

  for (const [code, failure, blocks] of ofToday(RETURNS)) {
    it(`fail a debit with ${failure} for ${code}${blocks ? ', and block its bank account' : ''}`, async () => {
      const { id, reference } = await debit();
      await setup.deliver(returned(code, { processorReference: reference }));
      const failed = await charge(id);
      expect(failed).to.include({ status: 'failed', failure_code: failure });
      expect(failed['failure_message']).to.match(/^The bank returned the debit: .+\.$/);
      expect(failed['failure_message']).to.contain(`(${code})`);
      expect(failed['outcome']).to.include({ reason: code });
      expect(await eventsOf(id)).to.deep.equal(['charge.pending', 'charge.failed']);
      const { us_bank_account: bank } = await method(failed['payment_method']);
      const reason = { reason: failure, network_code: code };
      expect(bank).to.deep.include({ status_details: { blocked: blocks ? reason : null } });
      expect(setup.mails).to.deep.equal([]);
    });
  }

  it('mean the same in lower case and with spaces around the code', async () => {
    const { id, reference } = await debit();
    await setup.deliver(returned(' r10 ', { processorReference: reference }));
    const failed = await charge(id);
    expect(failed).to.include({ status: 'failed', failure_code: 'debit_not_authorized' });
    expect(failed['outcome']).to.include({ reason: 'R10' });
    const { us_bank_account: bank } = await method(failed['payment_method']);
    const blocked = { reason: 'debit_not_authorized', network_code: 'R10' };
    expect(bank).to.deep.include({ status_details: { blocked } });
  });

  it('with a code that no bank has wait for a person, before and after clearing', async () => {
    const pending = await debit();
    const cleared = await debit();
    await setup.deliver({ ...SETTLED, processorReference: cleared.reference });
    for (const [{ id, reference }, status] of [
      [pending, 'pending'],
      [cleared, 'succeeded'],
    ] as const) {
      await setup.deliver(returned('10', { processorReference: reference }));
      expect(await charge(id)).to.include({ status, disputed: false });
      expect(setup.mails.map(({ text }) => text).join()).to.contain(
        'Its returnCode is no code of a bank, such as R10.',
      );
      setup.forget();
    }
  });

  it('without a return code fail it with the code of the adapter, if that is a known one', async () => {
    const known = await debit();
    const unknown = await debit();
    const say = (processorReference: string, code: string): SentNotice => ({
      kind: 'charge.failed',
      processorReference,
      data: { code, message: 'The bank says no.' },
    });
    await setup.deliver(
      say(known.reference, 'account_closed'),
      say(unknown.reference, 'no_such_code'),
    );
    expect(await charge(known.id)).to.include({
      failure_code: 'account_closed',
      failure_message: 'The bank says no.',
    });
    expect(await charge(unknown.id)).to.include({ failure_code: 'bank_account_declined' });
  });

  it('clear a debit once, however often and at once they are sent', async () => {
    const { id, reference } = await debit();
    const one = notice({ ...SETTLED, processorReference: reference });
    await Promise.all(Array.from({ length: 20 }, () => setup.send([one])));
    await setup.deliver(
      { ...SETTLED, processorReference: reference },
      { ...SETTLED, operationId: operationOf(id), processorReference: reference },
    );
    expect(await charge(id)).to.include({ status: 'succeeded', amount_captured: 5_000 });
    expect(await eventsOf(id)).to.deep.equal(['charge.pending', 'charge.succeeded']);
    expect(setup.mails).to.deep.equal([]);
  });

  it('that come before the answer of the call end the debit; the answer changes nothing', async () => {
    for (const [ended, status, http, type] of [
      [SETTLED, 'succeeded', 200, 'charge.succeeded'],
      [returned('R01'), 'failed', 402, 'charge.failed'],
    ] as const) {
      const release = setup.bank.hold();
      const body = { ...AMOUNT, payment_method: 'pm_usBankAccount_processing' };
      const known = new Set(setup.bank.calls.map(({ operationId }) => operationId));
      const asking = setup.post('/v1/charges', body).then((reply) => reply);
      const call = await eventually(() =>
        setup.bank.calls.find(({ operationId }) => !known.has(operationId)),
      );
      const id = call.reference ?? '';
      const { operationId } = call;
      await setup.deliver({ ...ended, operationId, processorReference: `sandbox_${operationId}` });
      release();
      const answered = await asking;
      expect(answered.status).to.equal(http);
      expect(await charge(id)).to.include({ status });
      expect(await eventsOf(id)).to.deep.equal(['charge.pending', type]);
      expect(setup.mails).to.deep.equal([]);
    }
  });

  it('in either order leave the merchant without the money of a returned debit', async () => {
    await setup.pass(3 * DAY);
    const before = await available();
    const inOrder = await debit();
    const shuffled = await debit();
    const at = (reference: string, seconds: number) => ({
      processorReference: reference,
      occurredAt: new Date(Date.now() + seconds * SECOND).toISOString(),
    });
    await setup.deliver({ ...SETTLED, ...at(inOrder.reference, 1) });
    await setup.deliver(returned('R10', at(inOrder.reference, 2)));
    await setup.deliver(returned('R10', at(shuffled.reference, 2)));
    await setup.deliver({ ...SETTLED, ...at(shuffled.reference, 1) });
    expect(await charge(inOrder.id)).to.include({ status: 'succeeded', disputed: true });
    expect(await charge(shuffled.id)).to.include({ status: 'failed', disputed: false });
    expect(await eventsOf(shuffled.id)).to.deep.equal(['charge.pending', 'charge.failed']);
    await setup.pass(3 * DAY);
    expect(await available(), 'only the fee of the dispute is gone').to.equal(before - 1_500);
    expect(setup.mails).to.deep.equal([]);
  });

  it('open one dispute of a debit that was returned after it cleared, lost at once', async () => {
    const { id, reference } = await debit();
    await setup.deliver({ ...SETTLED, processorReference: reference });
    await setup.pass(3 * DAY);
    const late = { processorReference: reference };
    await setup.deliver(returned('R07', late), returned('R07', late));
    await setup.deliver(returned('R07', late));
    const { body } = await setup.get(`/v1/disputes?charge=${id}`).expect(200);
    expect(body.data).to.have.length(1);
    const [dispute] = body.data;
    expect(dispute).to.deep.include({
      amount: 5_000,
      currency: 'usd',
      status: 'lost',
      closed_reason: 'not_contestable',
      reason: 'debit_not_authorized',
      network_reason_code: 'R07',
    });
    const [line] = dispute.balance_transactions;
    expect(line).to.include({ type: 'adjustment', amount: -5_000, fee: 1_500 });
    expect(await charge(id)).to.include({ status: 'succeeded', disputed: true });
    expect(await eventsOf(dispute.id)).to.deep.equal(['dispute.created', 'dispute.lost']);
    const answer = await setup.post(`/v1/disputes/${dispute.id}`, {
      evidence: { uncategorized_text: 'We did deliver.' },
    });
    expect([answer.status, answer.body.error.code]).to.deep.equal([400, 'dispute_not_contestable']);
    const refund = await setup.post('/v1/refunds', { charge: id });
    expect([refund.status, refund.body.error.code]).to.deep.equal([400, 'charge_disputed']);
    expect(setup.mails).to.deep.equal([]);
  });

  it('of a late return become debt, if the money was refunded before', async () => {
    const { id, reference } = await debit();
    await setup.deliver({ ...SETTLED, processorReference: reference });
    await setup.pass(3 * DAY);
    await setup.post('/v1/refunds', { charge: id }).expect(200);
    const before = await available();
    await setup.deliver(returned('R01', { processorReference: reference }));
    expect(await available()).to.equal(before - 5_000 - 1_500);
    const { body } = await setup.get(`/v1/disputes?charge=${id}`);
    expect(body.data[0]).to.include({ status: 'lost', reason: 'insufficient_funds' });
  });

  it('that contradict an approved card still wait for a person', async () => {
    const { body } = await setup.post('/v1/charges', { ...AMOUNT, source: 'tok_visa' }).expect(200);
    const { reference } = body.processor;
    await setup.deliver(returned('R01', { processorReference: reference }));
    expect(await charge(body.id)).to.include({ status: 'succeeded', disputed: false });
    expect(setup.mails).to.have.length(1);
  });

  it('of another amount than the debit wait for a person', async () => {
    const { id, reference } = await debit();
    const data = { amount: 4_900, currency: 'usd' };
    await setup.deliver({ ...SETTLED, processorReference: reference, data });
    expect(await charge(id)).to.include({ status: 'pending' });
    expect(setup.mails).to.have.length(1);
  });

  it('are not needed by a debit whose call had no answer: a look-up finds it', async () => {
    const body = { ...AMOUNT, payment_method: 'pm_usBankAccount_timeout_approved' };
    const made = await setup.post('/v1/charges', body).expect(200);
    const { id } = made.body;
    expect(made.body).to.deep.include({ status: 'pending' });
    expect(made.body.outcome).to.include({ type: 'unknown' });
    expect(await eventsOf(id)).to.deep.equal([]);
    for (let times = 0; times < 4; times += 1) await setup.pass(MINUTE);
    expect(await charge(id)).to.include({ status: 'succeeded' });
    expect(await eventsOf(id)).to.deep.equal(['charge.pending', 'charge.succeeded']);
  });

  it('are not needed by a debit that the bank refused without an answer', async () => {
    const body = { ...AMOUNT, payment_method: 'pm_usBankAccount_timeout_declined' };
    const { id } = (await setup.post('/v1/charges', body).expect(200)).body;
    for (let times = 0; times < 4; times += 1) await setup.pass(MINUTE);
    expect(await charge(id)).to.include({ failure_code: 'bank_account_declined' });
    expect(await eventsOf(id)).to.deep.equal(['charge.failed']);
  });

  it('correct a saved bank account without an event, and keep its number sealed', async () => {
    const customer = (await setup.post('/v1/customers', {})).body.id;
    const made = await setup.post('/v1/payment_methods', {
      type: 'us_bank_account',
      us_bank_account: BANK_NUMBERS,
      mandate_data: MANDATE,
    });
    const { id } = made.body;
    await setup.post(`/v1/payment_methods/${id}/attach`, { customer }).expect(200);
    const events = await countEvents();
    const { processorToken } = await lastSent(id);
    const accountNumber = '73190064528';
    const correct = (data: object): Promise<void> =>
      setup.deliver({ kind: 'account_update', data: { processorToken, ...data } });
    const bank = async () => (await method(id))['us_bank_account'];
    const before = (await bank()) as Json;
    // C02 and C05: routing number, and type of account.
    await correct({ routingNumber: '021000021' });
    await correct({ accountType: 'savings' });
    expect(await bank()).to.deep.equal({
      ...before,
      routing_number: '021000021',
      account_type: 'savings',
    });
    // C01, C03, C06 and C07: the number, alone or with the others.
    await correct({ accountNumber, routingNumber: '110000000' });
    expect(await bank()).to.deep.equal({
      ...before,
      last4: '4528',
      account_type: 'savings',
    });
    expect(await countEvents()).to.equal(events + 1);
    expect((await lastSent(id)).bankAccount).to.deep.equal({
      accountNumber,
      routingNumber: '110000000',
      accountType: 'savings',
      accountHolderType: 'individual',
    });
    const rows = await everyRow(setup.databaseUrl);
    expect(rows).to.contain(customer);
    expect(rows).to.not.contain(accountNumber);
    const states = await query(
      setup.databaseUrl,
      `SELECT DISTINCT state FROM paymount.notices WHERE kind = 'account_update'`,
    );
    expect(states).to.deep.equal([{ state: 'applied' }]);
    await correct({ routingNumber: '110000000' });
    expect(await bank(), 'told again').to.include({ last4: '4528' });
  });

  it('correct a bank account that is not attached, for refunds of what it paid', async () => {
    const body = { type: 'us_bank_account', us_bank_account: BANK_NUMBERS, mandate_data: MANDATE };
    const once = (await setup.post('/v1/payment_methods', body).expect(200)).body.id;
    const { processorToken } = await lastSent(once);
    const customer = (await setup.post('/v1/customers', {}).expect(200)).body.id;
    const left = (await setup.post('/v1/payment_methods', body).expect(200)).body.id;
    await setup.post(`/v1/payment_methods/${left}/attach`, { customer }).expect(200);
    await setup.post(`/v1/payment_methods/${left}/detach`, {}).expect(200);
    const paid = (await setup.get('/v1/charges?limit=1')).body.data[0];
    await setup.deliver({ ...SETTLED, processorReference: paid.processor.reference });
    expect(await charge(paid.id)).to.include({ status: 'succeeded', payment_method: once });
    const accountNumber = '73190064528';
    await setup.deliver({ kind: 'account_update', data: { processorToken, accountNumber } });
    for (const id of [once, left]) {
      expect((await method(id))['us_bank_account']).to.include({ last4: '4528' });
    }
    const numbers: unknown[] = [];
    const refund = setup.bank.refund.bind(setup.bank);
    setup.bank.refund = async (operation) => {
      numbers.push(operation.paymentMethod.bankAccount?.accountNumber);
      return refund(operation);
    };
    await setup.post('/v1/refunds', { charge: paid.id }).expect(200);
    setup.bank.refund = refund;
    expect(numbers).to.deep.equal([accountNumber]);
  });

  it('refund what a detached bank account paid, with its number and its holder', async () => {
    const body = { type: 'us_bank_account', us_bank_account: BANK_NUMBERS, mandate_data: MANDATE };
    const billing = { ...body, billing_details: { name: 'Refundina' } };
    const once = (await setup.post('/v1/payment_methods', billing).expect(200)).body.id;
    const customer = (await setup.post('/v1/customers', {}).expect(200)).body.id;
    await setup.post(`/v1/payment_methods/${once}/attach`, { customer }).expect(200);
    const debited = await lastSent(once);
    const paid = (await setup.get('/v1/charges?limit=1')).body.data[0];
    await setup.deliver({ ...SETTLED, processorReference: paid.processor.reference });
    await setup.post(`/v1/payment_methods/${once}/detach`, {}).expect(200);
    const accounts: unknown[] = [];
    const refund = setup.bank.refund.bind(setup.bank);
    setup.bank.refund = async (operation) => {
      accounts.push(operation.paymentMethod.bankAccount);
      return refund(operation);
    };
    await setup.post('/v1/refunds', { charge: paid.id }).expect(200);
    setup.bank.refund = refund;
    expect(accounts).to.deep.equal([debited.bankAccount]);
    expect(debited.bankAccount).to.deep.equal({
      accountNumber: '000123456789',
      routingNumber: '110000000',
      accountType: 'checking',
      accountHolderType: 'individual',
      accountHolderName: 'Refundina',
    });
  });

  /** Debits a bank account. @returns what reached the bank about it */
  async function lastSent(paymentMethod: string): Promise<Sent> {
    await setup.post('/v1/charges', { ...AMOUNT, payment_method: paymentMethod }).expect(200);
    const last = sent.at(-1);
    if (last === undefined) throw new Error('Nothing was sent.');
    return last;
  }

  it('of a return are not reported again by the answer that comes after them', async () => {
    const { bank } = setup;
    const { authorize } = bank;
    bank.authorize = async ({ operationId }) => {
      const about = { operationId, processorReference: `late_${operationId}` };
      await setup.deliver({ ...SETTLED, ...about });
      const data = { code: 'debit_not_authorized', message: 'No.', returnCode: 'R10' };
      await setup.deliver({ kind: 'charge.failed', ...about, data });
      const refusal = { declineCode: 'R10', message: 'No.', retry: 'never' } as const;
      return { outcome: 'declined', code: 'debit_not_authorized', ...refusal };
    };
    try {
      const { id } = await debit();
      await setup.worker.drain();
      expect(await charge(id)).to.include({ status: 'succeeded', disputed: true });
      expect((await setup.admin('/operations')).json['data']).to.deep.equal([]);
      expect(setup.errors).to.deep.equal([]);
    } finally {
      bank.authorize = authorize;
    }
  });

  it('after which the call is refused late go to a person, unless the bank has returned the debit', async () => {
    const { authorize } = setup.bank;
    const refused = { outcome: 'declined', code: 'bank_account_declined', retry: 'never' } as const;
    for (const isReturned of [false, true]) {
      let answer: (outcome: Outcome) => void = () => undefined;
      let sentId: string | undefined;
      setup.bank.authorize = async (operation) => {
        await authorize(operation);
        sentId = operation.operationId;
        return new Promise((resolve) => {
          answer = resolve;
        });
      };
      const body = { ...AMOUNT, payment_method: 'pm_usBankAccount_processing' };
      const asking = setup.post('/v1/charges', body).then((reply) => reply);
      const operationId = await eventually(() => sentId);
      setup.bank.authorize = authorize;
      const processorReference = `sandbox_${operationId}`;
      await setup.deliver({ ...SETTLED, operationId, processorReference });
      const dispute = { disputeReference: `case of ${operationId}`, ...AMOUNT };
      await setup.deliver(
        isReturned
          ? returned('R10', { processorReference })
          : {
              kind: 'dispute.opened',
              processorReference,
              data: { ...dispute, reason: 'fraudulent', contestable: true },
            },
      );
      answer({ ...refused, declineCode: 'R10', message: 'It came back.' });
      expect((await asking).body.status).to.equal('succeeded');
      const { json } = await setup.admin('/operations');
      const waiting = (json['data'] as Json[]).map(({ id }) => id);
      expect(waiting).to.deep.equal(isReturned ? [] : [operationId]);
      if (isReturned) continue;
      const dismissed = { body: { reason: 'The issuer decides about it.' } };
      await setup.admin(`/operations/${operationId}/dismiss`, dismissed);
    }
  });
});
