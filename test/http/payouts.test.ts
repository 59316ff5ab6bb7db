import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import createKnex, { type Knex } from 'knex';
import type { HookPayload } from 'paymount';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, type Reply } from '../support/ask.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { BANK, PaidOut } from '../support/paid-out.ts';
import { rejectionCode } from '../support/rejection-code.ts';

const SECOND = 1_000;
const CREATED = /^2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

type Json = Readonly<Record<string, unknown>>;

describe('/v1/payouts', function () {
  this.timeout(60_000);
  let app: TestApp;
  let clock: FakeClock;
  let knex: Knex;
  let shop: PaidOut;
  let told: string[] = [];

  before(async () => {
    // It stands still, so that no payout is sent before the test says so.
    clock = fakeClock('2026-11-21T12:00:00.000Z');
    const hook = async (_: unknown, settled: HookPayload): Promise<void> => {
      if (settled.kind === 'payout') told.push(`${settled.payout.id} ${settled.payout.status}`);
    };
    app = await startApp({ paymount: { clock, hook } });
    knex = createKnex({ client: 'pg', connection: app.databaseUrl, pool: { min: 0, max: 4 } });
    shop = new PaidOut(app, clock);
    await shop.earn(1_000_000);
    await shop.addBank();
  });
  after(async () => {
    await knex.destroy();
    await app.close();
  });
  afterEach(async () => {
    told = [];
    expect(await app.paymount.verify()).to.deep.equal([]);
  });

  const get = (path: string) => ask(`${app.url}${path}`, { key: app.secretKey });
  const find = async (id: string): Promise<Json> => (await get(`/v1/payouts/${id}`)).json;
  const available = async (): Promise<number> => {
    const { json } = await get('/v1/balance');
    const [funds] = json['available'] as { amount: number }[];
    return funds?.amount ?? 0;
  };
  const create = async (body: object = {}): Promise<string> => {
    const made = await shop.post('/v1/payouts', { amount: 1_000, currency: 'eur', ...body });
    expect(made.status, made.text).to.equal(200);
    return String(made.json['id']);
  };
  const eventsOf = async (id: string): Promise<readonly string[]> => {
    const { json } = await get(`/v1/events?object_id=${id}`);
    return (json['data'] as { type: string }[]).map(({ type }) => type);
  };
  const refused = ({ status, error }: Reply) => [status, error['code'], error['param']];

  it('takes the amount from the balance at once, and shows every field', async () => {
    const before = await available();
    const made = await shop.post('/v1/payouts', {
      amount: 1_234,
      currency: 'EUR',
      description: 'September',
      statement_descriptor: 'SHOP 09',
      metadata: { period: '9' },
    });
    expect(made.status, made.text).to.equal(200);
    const { id, created, arrival_date, destination, balance_transaction, ...rest } = made.json;
    expect(
      [id, destination, balance_transaction].map((each) => String(each).split('_')[0]),
    ).to.deep.equal(['po', 'ba', 'txn']);
    expect([created, arrival_date]).to.satisfy((times: string[]) =>
      times.every((time) => CREATED.test(time)),
    );
    expect(rest).to.deep.equal({
      object: 'payout',
      livemode: false,
      metadata: { period: '9' },
      amount: 1_234,
      currency: 'eur',
      automatic: false,
      status: 'pending',
      failure_code: null,
      failure_message: null,
      failure_balance_transaction: null,
      statement_descriptor: 'SHOP 09',
      description: 'September',
    });
    expect(await available()).to.equal(before - 1_234);
    const line = await get(`/v1/balance_transactions/${String(balance_transaction)}`);
    expect(line.json).to.deep.include({
      amount: -1_234,
      fee: 0,
      net: -1_234,
      type: 'payout',
      source: id,
      status: 'available',
    });
    await shop.settle();
  });

  it('is sent by a worker, is in transit, and is paid once handed to the bank', async () => {
    const id = await create();
    await shop.pass(11 * SECOND);
    expect(await find(id)).to.include({ status: 'in_transit' });
    expect(await eventsOf(id)).to.deep.equal([]);
    await shop.pass(3 * SECOND);
    expect(await find(id)).to.include({ status: 'paid' });
    expect(await eventsOf(id)).to.deep.equal(['payout.paid']);
    expect(told).to.deep.equal([`${id} paid`]);
  });

  it('can be canceled until it is sent, which returns the amount', async () => {
    const before = await available();
    const id = await create();
    const key = { 'idempotency-key': randomUUID() };
    const canceled = await shop.post(`/v1/payouts/${id}/cancel`, {}, key);
    expect(canceled.json, canceled.text).to.include({ id, status: 'canceled' });
    const again = await shop.post(`/v1/payouts/${id}/cancel`, {}, key);
    expect(again.text).to.equal(canceled.text);
    expect(await available()).to.equal(before);
    const line = String(canceled.json['failure_balance_transaction']);
    expect((await get(`/v1/balance_transactions/${line}`)).json).to.include({
      amount: 1_000,
      type: 'payout_cancel',
      source: id,
    });
    const lines = await get(`/v1/balance_transactions?source=${id}`);
    expect((lines.json['data'] as { type: string }[]).map(({ type }) => type)).to.deep.equal([
      'payout_cancel',
      'payout',
    ]);
    expect(told).to.deep.equal([`${id} canceled`]);
    await shop.settle();
    expect(await find(id)).to.include({ status: 'canceled' });
    const sent = await create();
    await shop.pass(11 * SECOND);
    const late = await shop.post(`/v1/payouts/${sent}/cancel`);
    expect(refused(late)).to.deep.equal([400, 'status_transition_invalid', undefined]);
    await shop.pass(3 * SECOND);
    expect(await find(sent)).to.include({ status: 'paid' });
  });

  for (const [name, number, code] of [
    ['accountClosed', '000111111113', 'account_closed'],
    ['noAccount', '000111111116', 'no_account'],
    ['insufficientFunds', '000222222227', 'insufficient_funds'],
    ['debitNotAuthorized', '000333333335', 'debit_not_authorized'],
    ['invalidCurrency', '000444444440', 'invalid_currency'],
  ] as const) {
    it(`fails when the bank refuses it as ${name}, returns the amount and stops the bank account`, async () => {
      const before = await available();
      const destination = await shop.addBank(number);
      const id = await create({ destination });
      await shop.settle();
      expect(await find(id)).to.include({ status: 'failed', failure_code: code });
      expect(await available()).to.equal(before);
      expect(await eventsOf(id)).to.deep.equal(['payout.failed']);
      expect(told).to.deep.equal([`${id} failed`]);
      const account = await get(`/v1/accounts/${app.account}/external_accounts/${destination}`);
      expect(account.json).to.include({ status: 'errored', failure_code: code });
      const again = await shop.post('/v1/payouts', { amount: 1, currency: 'eur' });
      expect(refused(again)).to.deep.equal([400, 'payouts_not_allowed', 'destination']);
      await shop.addBank();
      await create({ amount: 1 });
      await shop.settle();
    });
  }

  it('is refused with what is needed instead', async () => {
    const post = (body: object) => shop.post('/v1/payouts', body);
    const left = await available();
    const payout = { amount: 1, currency: 'eur' };
    expect(refused(await post({ ...payout, amount: left + 1 }))).to.deep.equal([
      400,
      'balance_insufficient',
      'amount',
    ]);
    expect(refused(await post({ ...payout, currency: 'usd' }))).to.deep.equal([
      400,
      'payouts_not_allowed',
      'currency',
    ]);
    const dollars = await shop.addBank(BANK.account_number, {
      external_account: { ...BANK, currency: 'usd' },
    });
    expect(refused(await post({ ...payout, destination: dollars }))).to.deep.equal([
      400,
      'currency_mismatch',
      'destination',
    ]);
    expect(refused(await post({ ...payout, destination: `ba_${'0'.repeat(26)}` }))).to.deep.equal([
      400,
      'resource_missing',
      'destination',
    ]);
    expect(refused(await post({ ...payout, statement_descriptor: 'a<b>c' }))).to.deep.equal([
      400,
      'parameter_invalid',
      'statement_descriptor',
    ]);
    expect(refused(await post({ ...payout, amount: 0 }))).to.deep.equal([
      400,
      'amount_too_small',
      'amount',
    ]);
  });

  it('replays the answer of one Idempotency-Key, and pays out once', async () => {
    const before = await available();
    const headers = { 'idempotency-key': 'payout-1' };
    const body = { amount: 5, currency: 'eur' };
    const first = await shop.post('/v1/payouts', body, headers);
    await shop.settle();
    const second = await shop.post('/v1/payouts', body, headers);
    expect([second.status, second.text]).to.deep.equal([200, first.text]);
    expect(await available()).to.equal(before - 5);
  });

  it('are listed newest first, by status, bank account and time', async () => {
    const destination = await shop.addBank();
    const older = await create({ destination });
    clock.advance(SECOND);
    const newer = await create({ destination });
    const ids = async (query: string): Promise<unknown[]> => {
      const { json } = await get(`/v1/payouts?${query}`);
      return (json['data'] as { id: string }[]).map(({ id }) => id);
    };
    expect(await ids(`destination=${destination}`)).to.deep.equal([newer, older]);
    expect(await ids('status=pending')).to.deep.equal([newer, older]);
    const { created, arrival_date: arrival } = await find(newer);
    expect(await ids(`created[gte]=${String(created)}`)).to.deep.equal([newer]);
    expect(
      await ids(`arrival_date[gt]=${String(arrival)}&destination=${destination}`),
    ).to.deep.equal([]);
    await shop.settle();
    expect(await ids(`status=paid&destination=${destination}`)).to.deep.equal([newer, older]);
  });

  it('changes its description and metadata, and expands its bank account', async () => {
    const id = await create();
    const changed = await shop.post(`/v1/payouts/${id}`, {
      description: 'second',
      metadata: { a: 'b' },
      expand: ['destination'],
    });
    expect(changed.json).to.deep.include({ description: 'second', metadata: { a: 'b' } });
    expect(changed.json['destination']).to.include({ object: 'bank_account', last4: '6789' });
    await shop.settle();
  });

  it('commit and roll back with the transaction of a host', async () => {
    const before = await available();
    const payout = { amount: 7, currency: 'eur' };
    const undone = knex.transaction(async (trx) => {
      await app.paymount.using(trx).payouts.create(app.acting, payout);
      throw new Error('undone');
    });
    expect(await rejectionCode(undone)).to.not.equal('no error');
    expect(await available()).to.equal(before);
    const { id } = await knex.transaction((trx) =>
      app.paymount.using(trx).payouts.create(app.acting, payout),
    );
    expect(await available()).to.equal(before - 7);
    await shop.settle();
    expect((await app.paymount.payouts.retrieve(app.acting, id)).status).to.equal('paid');
  });

  it('are changed, listed and canceled in the transaction of a host', async () => {
    const before = await available();
    const { acting, paymount } = app;
    const { id } = await paymount.payouts.create(acting, { amount: 9, currency: 'eur' });
    const cancel = async (trx: Knex.Transaction): Promise<void> => {
      const { payouts } = paymount.using(trx);
      const changed = await payouts.update(acting, id, { metadata: { order: '7' } });
      expect(changed.metadata).to.deep.equal({ order: '7' });
      expect((await payouts.cancel(acting, id)).status).to.equal('canceled');
      const { data } = await payouts.list(acting, { status: 'canceled', limit: 1 });
      expect(data.map((payout) => payout.id)).to.deep.equal([id]);
    };
    const undone = knex.transaction(async (trx) => {
      await cancel(trx);
      throw new Error('undone');
    });
    expect(await undone.catch(String)).to.equal('Error: undone');
    expect(await find(id)).to.deep.include({ status: 'pending', metadata: {} });
    expect(await available()).to.equal(before - 9);
    await knex.transaction(cancel);
    expect(await find(id)).to.deep.include({ status: 'canceled', metadata: { order: '7' } });
    expect(await available()).to.equal(before);
    await shop.settle();
    expect(await find(id)).to.include({ status: 'canceled' });
  });

  it('never take more than is available when 20 are asked for at once', async () => {
    const left = await available();
    const amount = Math.floor(left / 10);
    const asked = Array.from({ length: 20 }, () =>
      shop.post('/v1/payouts', { amount, currency: 'eur' }),
    );
    const answers = (await Promise.all(asked)).map(({ status, error }) => error['code'] ?? status);
    expect(answers.filter((answer) => answer === 200)).to.have.length(10);
    expect(answers.filter((answer) => answer === 'balance_insufficient')).to.have.length(10);
    expect(await available()).to.equal(left - 10 * amount);
    await shop.settle();
  });
});
