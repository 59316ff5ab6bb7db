import { expect } from 'chai';
import { ask } from '../support/ask.ts';
import { query } from '../support/database.ts';
import { BANK_NUMBERS, type DebitShop, MANDATE, startDebitShop } from '../support/debit-shop.ts';

const SECOND = 1_000;
const MINUTE = 60_000;

describe('Bank accounts as payment methods', () => {
  let shop: DebitShop;

  before(async () => {
    shop = await startDebitShop();
  });
  after(() => shop.close());
  afterEach(async () => {
    expect(await shop.paymount.verify()).to.deep.equal([]);
  });

  const create = (bank: object, more: object = {}) =>
    shop.post('/v1/payment_methods', {
      type: 'us_bank_account',
      us_bank_account: bank,
      mandate_data: MANDATE,
      ...more,
    });
  const token = (more: object = {}) =>
    shop.post('/v1/tokens', { bank_account: { ...BANK_NUMBERS, ...more } });
  const methodOf = async (id: unknown) => (await shop.get(`/v1/payment_methods/${id}`)).json;

  it('show the last four digits, a fingerprint and the mandate, and never the number', async () => {
    const acceptedAt = '2026-11-20T08:00:00.000Z';
    const made = await create(
      { ...BANK_NUMBERS, account_type: 'savings', account_holder_type: 'company' },
      {
        mandate_data: { customer_acceptance: { type: 'offline', accepted_at: acceptedAt } },
        billing_details: { name: 'Ada' },
      },
    );
    expect(made.status, made.text).to.equal(200);
    expect(made.text).to.not.contain(BANK_NUMBERS.account_number);
    const { us_bank_account: bank, mandate, ...rest } = made.json;
    const { fingerprint, ...facts } = bank as Record<string, unknown>;
    expect(fingerprint).to.match(/^[0-9a-f]{24}$/);
    expect(facts).to.deep.equal({
      bank_name: 'Test Bank',
      last4: '6789',
      routing_number: '110000000',
      account_type: 'savings',
      account_holder_type: 'company',
      status_details: { blocked: null },
    });
    const { id: mandateId, ...consent } = mandate as Record<string, unknown>;
    expect(mandateId).to.match(/^mandate_\w{26}$/);
    expect(consent).to.deep.equal({ accepted_at: acceptedAt, type: 'offline' });
    expect(rest).to.deep.include({
      object: 'payment_method',
      type: 'us_bank_account',
      billing_details: { name: 'Ada', email: null, phone: null, address: null },
      customer: null,
    });
    expect(rest).to.not.have.property('card');
    const again = await create(BANK_NUMBERS);
    expect(again.json['us_bank_account']).to.include({ fingerprint });
    const other = await create({ ...BANK_NUMBERS, account_number: '000111111116' });
    expect(other.json['us_bank_account']).to.not.include({ fingerprint });
  });

  it('are made of a bank token once, also of one from a browser', async () => {
    const made = await shop.post(
      '/v1/tokens',
      {
        bank_account: {
          country: 'US',
          currency: 'usd',
          account_holder_name: 'Ada',
          routing_number: '110000000',
          account_number: '000123456789',
        },
      },
      {},
      shop.publishableKey,
    );
    expect(made.status, made.text).to.equal(200);
    const { id, bank_account: bank, ...rest } = made.json;
    expect(id).to.match(/^btok_\w{26}$/);
    expect(bank).to.include({ object: 'bank_account', last4: '6789', account_holder_name: 'Ada' });
    expect(rest).to.include({ object: 'token', type: 'bank_account', used: false });
    expect(rest).to.not.have.property('card');
    const method = await create({ token: id });
    expect(method.status, method.text).to.equal(200);
    expect(method.json['billing_details']).to.include({ name: 'Ada' });
    expect((await shop.get(`/v1/tokens/${id}`)).json).to.include({ used: true });
    const again = await create({ token: id });
    expect([again.status, again.error['code'], again.error['param']]).to.deep.equal([
      400,
      'token_already_used',
      'us_bank_account[token]',
    ]);
    const charged = await shop.debit(String(method.json['id']));
    expect([charged.status, charged.json['status']]).to.deep.equal([200, 'pending']);
  });

  it('may also be where payouts go, by one use of a bank token', async () => {
    const { id } = (await token({ account_holder_name: 'Ada' })).json;
    const path = `/v1/accounts/${shop.account}/external_accounts`;
    const added = await shop.post(path, { external_account: id });
    expect(added.status, added.text).to.equal(200);
    expect(added.json).to.include({
      object: 'bank_account',
      last4: '6789',
      routing_number: '110000000',
      currency: 'usd',
      account_holder_name: 'Ada',
      account_holder_type: 'individual',
    });
    const again = await shop.post(path, { external_account: id });
    expect([again.status, again.error['code'], again.error['param']]).to.deep.equal([
      400,
      'token_already_used',
      'external_account',
    ]);
    const method = await create({ token: id });
    expect(method.error['code']).to.equal('token_already_used');
    const [kept] = await query(
      shop.databaseUrl,
      `SELECT sealed_number, kid FROM paymount.tokens WHERE id = '${id}'`,
    );
    expect(kept, 'deleting the bank account deletes its number').to.deep.equal({
      sealed_number: null,
      kid: null,
    });
  });

  it('belong to one customer, who pays with them', async () => {
    const customer = (await shop.post('/v1/customers', { name: 'Ada' })).json['id'];
    const method = await shop.bank();
    const attached = await shop.post(`/v1/payment_methods/${method}/attach`, { customer });
    expect(attached.json).to.include({ customer });
    await shop.post(`/v1/customers/${customer}`, {
      invoice_settings: { default_payment_method: method },
    });
    for (let time = 0; time < 2; time += 1) {
      const paid = await shop.post('/v1/charges', { amount: 700, currency: 'usd', customer });
      expect(paid.json, paid.text).to.include({
        status: 'pending',
        customer,
        payment_method: method,
      });
    }
    const listed = await shop.get(`/v1/customers/${customer}/payment_methods?type=us_bank_account`);
    expect((listed.json['data'] as { id: string }[]).map(({ id }) => id)).to.deep.equal([method]);
    const cards = await shop.get(`/v1/customers/${customer}/payment_methods?type=card`);
    expect(cards.json['data']).to.deep.equal([]);
    await shop.pass(3 * SECOND);
    const detached = await shop.post(`/v1/payment_methods/${method}/detach`);
    expect(detached.json).to.include({ customer: null });
    const after = await shop.debit(method);
    expect(after.error['code']).to.equal('payment_method_unusable');
  });

  it('keep nothing of a holder whose customer is deleted, nor does the token', async () => {
    const made = await token({ account_holder_name: 'Leaverina' });
    const method = (await create({ token: made.json['id'] })).json['id'];
    const customer = (await shop.post('/v1/customers', {})).json['id'];
    await shop.post(`/v1/payment_methods/${method}/attach`, { customer });
    const gone = await ask(`${shop.url}/v1/customers/${customer}`, {
      method: 'DELETE',
      key: shop.secretKey,
    });
    expect(gone.status, gone.text).to.equal(200);
    const kept = await query(
      shop.databaseUrl,
      `SELECT p::text AS row FROM paymount.payment_methods p WHERE id = '${method}'
        UNION ALL SELECT t::text FROM paymount.tokens t WHERE id = '${made.json['id']}'`,
    );
    expect(kept).to.have.length(2);
    expect(JSON.stringify(kept)).to.not.include('Leaverina');
    expect((await methodOf(method))['us_bank_account']).to.include({ last4: '6789' });
  });

  it('keep nothing of a token that expired, an hour later', async () => {
    const made = await token({ account_holder_name: 'Expirina' });
    const { id } = made.json;
    const stored = () =>
      query(
        shop.databaseUrl,
        `SELECT t::text AS row, sealed_number IS NULL AS is_erased
          FROM paymount.tokens t WHERE id = '${id}'`,
      );
    await shop.pass(74 * MINUTE);
    const [before] = await stored();
    expect(before?.['is_erased']).to.equal(false);
    await shop.pass(2 * MINUTE);
    const [after] = await stored();
    expect(after?.['is_erased']).to.equal(true);
    expect(after?.['row']).to.not.include('Expirina');
    const shown = await shop.get(`/v1/tokens/${id}`);
    expect(shown.json).to.deep.include({ used: false });
    expect(shown.json['bank_account']).to.include({ last4: '6789', account_holder_name: null });
    const used = await create({ token: id });
    expect([used.status, used.error['code']]).to.deep.equal([400, 'token_already_used']);
  });

  it('pay one charge only if they are not attached', async () => {
    const method = await shop.bank();
    expect((await shop.debit(method)).status).to.equal(200);
    const again = await shop.debit(method);
    expect([again.status, again.error['code']]).to.deep.equal([400, 'payment_method_unusable']);
    await shop.pass(3 * SECOND);
  });

  it('are blocked for good once their holder did not authorize a debit', async () => {
    const customer = (await shop.post('/v1/customers', {})).json['id'];
    const method = await shop.bank('000333333335');
    await shop.post(`/v1/payment_methods/${method}/attach`, { customer });
    expect((await shop.debit(method)).json).to.include({ status: 'pending' });
    await shop.pass(3 * SECOND);
    expect((await methodOf(method))['us_bank_account']).to.deep.include({
      status_details: { blocked: { reason: 'debit_not_authorized', network_code: 'R29' } },
    });
    const again = await shop.debit(method);
    expect([again.status, again.error['code'], again.error['param']]).to.deep.equal([
      400,
      'payment_method_unusable',
      'payment_method',
    ]);
    expect(again.error['message']).to.contain('R29');
    const renamed = await shop.post(`/v1/payment_methods/${method}`, { metadata: { a: 'b' } });
    expect(renamed.json['us_bank_account']).to.deep.include({
      status_details: { blocked: { reason: 'debit_not_authorized', network_code: 'R29' } },
    });
  });

  it('are blocked by a late return too', async () => {
    const method = await shop.bank('000555555559');
    await shop.debit(method);
    await shop.pass(3 * SECOND);
    await shop.pass(3 * SECOND);
    expect((await methodOf(method))['us_bank_account']).to.deep.include({
      status_details: { blocked: { reason: 'debit_not_authorized', network_code: 'R10' } },
    });
  });

  it('are not debited without a mandate', async () => {
    const method = await create(BANK_NUMBERS, { mandate_data: undefined });
    expect(method.json).to.include({ mandate: null });
    const refused = await shop.debit(String(method.json['id']));
    expect([refused.status, refused.error['code'], refused.error['param']]).to.deep.equal([
      400,
      'mandate_required',
      'payment_method',
    ]);
    const { id: source } = (await token()).json;
    const byToken = await shop.post('/v1/charges', { amount: 5_000, currency: 'usd', source });
    expect([byToken.error['code'], byToken.error['param']]).to.deep.equal([
      'mandate_required',
      'source',
    ]);
    expect((await shop.get(`/v1/tokens/${source}`)).json, 'not used up').to.include({
      used: false,
    });
  });

  it('are debited in dollars, at once, and not refunded before they clear', async () => {
    const method = await shop.bank();
    const inEuro = await shop.debit(method, { currency: 'eur' });
    expect([inEuro.status, inEuro.error['code'], inEuro.error['param']]).to.deep.equal([
      400,
      'invalid_currency',
      'currency',
    ]);
    const later = await shop.debit(method, { capture: false });
    expect([later.status, later.error['code'], later.error['param']]).to.deep.equal([
      400,
      'operation_not_supported',
      'capture',
    ]);
    const { id } = (await shop.debit(method)).json;
    const early = await shop.post('/v1/refunds', { charge: id });
    expect([early.status, early.error['code']]).to.deep.equal([400, 'charge_pending']);
    for (const action of ['capture', 'cancel']) {
      const acted = await shop.post(`/v1/charges/${id}/${action}`);
      expect([acted.status, acted.error['code']]).to.deep.equal([400, 'status_transition_invalid']);
    }
    await shop.pass(3 * SECOND);
    const refund = await shop.post('/v1/refunds', { charge: id, amount: 2_000 });
    expect(refund.json, refund.text).to.include({ status: 'succeeded', amount: 2_000 });
  });

  it('have their part in the balance while it is pending', async () => {
    const own = await startDebitShop();
    try {
      const sources = async () => {
        const { json } = await own.get('/v1/balance');
        const [usd] = json['pending'] as { amount: number; source_types: object }[];
        return [usd?.amount, usd?.source_types];
      };
      await own.debit(await own.bank(), { amount: 9_000 });
      await own.post('/v1/charges', { amount: 1_000, currency: 'usd', source: 'tok_visa' });
      expect(await sources()).to.deep.equal([1_000, { card: 1_000, bank_account: 0 }]);
      await own.pass(3 * SECOND);
      expect(await sources()).to.deep.equal([10_000, { card: 1_000, bank_account: 9_000 }]);
      const { json } = await own.get('/v1/charges?status=succeeded');
      const [, debit] = json['data'] as { id: string }[];
      await own.post('/v1/refunds', { charge: debit?.id, amount: 4_000 });
      expect(await sources()).to.deep.equal([6_000, { card: 1_000, bank_account: 5_000 }]);
      const payments = await own.get('/v1/balance_transactions?type=payment');
      expect(payments.json['data']).to.have.length(1);
      expect(await own.paymount.verify()).to.deep.equal([]);
      await own.pass(30 * 24 * 3_600 * SECOND);
      await own.pass(SECOND);
      expect(await sources()).to.deep.equal([0, { card: 0, bank_account: 0 }]);
      expect(await own.paymount.verify()).to.deep.equal([]);
    } finally {
      await own.close();
    }
  });

  const BANK = 'us_bank_account';
  const NUMBER = `${BANK}[account_number]`;
  const ROUTING = `${BANK}[routing_number]`;
  const ACCEPTED = 'mandate_data[customer_acceptance]';
  const future = { type: 'online', accepted_at: '2999-01-01T00:00:00Z' };
  /** What is wrong with the bank account or the rest of the body, and what is answered. */
  const REFUSED: readonly (readonly [bank: unknown, more: object, code: string, param: string])[] =
    [
      [{ ...BANK_NUMBERS, routing_number: '110000001' }, {}, 'routing_number_invalid', ROUTING],
      [{ ...BANK_NUMBERS, routing_number: '11000000' }, {}, 'routing_number_invalid', ROUTING],
      [{ ...BANK_NUMBERS, routing_number: '١١٠٠٠٠٠٠٠' }, {}, 'routing_number_invalid', ROUTING],
      [{ ...BANK_NUMBERS, routing_number: '' }, {}, 'parameter_invalid_empty', ROUTING],
      [{ ...BANK_NUMBERS, routing_number: 110000000 }, {}, 'parameter_invalid', ROUTING],
      [{ ...BANK_NUMBERS, routing_number: '021000021' }, {}, 'test_number_required', NUMBER],
      [{ ...BANK_NUMBERS, account_number: '' }, {}, 'parameter_invalid_empty', NUMBER],
      [{ ...BANK_NUMBERS, account_number: '12' }, {}, 'parameter_invalid', NUMBER],
      [{ ...BANK_NUMBERS, account_number: '0'.repeat(18) }, {}, 'parameter_invalid', NUMBER],
      [{ ...BANK_NUMBERS, account_number: '000-123' }, {}, 'parameter_invalid', NUMBER],
      [{ ...BANK_NUMBERS, account_number: '٠٠٠١٢٣٤٥٦' }, {}, 'parameter_invalid', NUMBER],
      [{ ...BANK_NUMBERS, account_number: ['000123456789'] }, {}, 'parameter_invalid', NUMBER],
      [{ ...BANK_NUMBERS, account_number: null }, {}, 'parameter_invalid', NUMBER],
      [{ ...BANK_NUMBERS, account_number: '000123456780' }, {}, 'test_number_required', NUMBER],
      [{ ...BANK_NUMBERS, account_type: 'loan' }, {}, 'parameter_invalid', `${BANK}[account_type]`],
      [
        { ...BANK_NUMBERS, account_holder_type: 'trust' },
        {},
        'parameter_invalid',
        `${BANK}[account_holder_type]`,
      ] as never,
      [{ routing_number: '110000000' }, {}, 'parameter_missing', NUMBER],
      [{ account_number: '000123456789' }, {}, 'parameter_missing', ROUTING],
      [{ token: 'btok_nothing' }, {}, 'resource_missing', `${BANK}[token]`],
      [{ token: `btok_${'0'.repeat(26)}` }, {}, 'resource_missing', `${BANK}[token]`],
      [{ token: 'tok_visa' }, {}, 'resource_missing', `${BANK}[token]`],
      [{ token: '' }, {}, 'parameter_invalid_empty', `${BANK}[token]`],
      [undefined, {}, 'parameter_missing', BANK],
      [BANK_NUMBERS, { card: { token: 'tok_visa' } }, 'parameters_exclusive', 'card'],
      [BANK_NUMBERS, { type: 'card' }, 'parameters_exclusive', BANK],
      [BANK_NUMBERS, { type: 'sepa_debit' }, 'parameter_invalid', 'type'],
      [
        undefined,
        { type: 'card', card: { token: 'tok_visa' }, mandate_data: MANDATE },
        'parameters_exclusive',
        'mandate_data',
      ] as never,
      [BANK_NUMBERS, { mandate_data: {} }, 'parameter_missing', ACCEPTED],
      [
        BANK_NUMBERS,
        { mandate_data: { customer_acceptance: { type: 'spoken' } } },
        'parameter_invalid',
        `${ACCEPTED}[type]`,
      ] as never,
      [
        BANK_NUMBERS,
        { mandate_data: { customer_acceptance: future } },
        'parameter_invalid',
        `${ACCEPTED}[accepted_at]`,
      ] as never,
    ];

  for (const [bank, more, code, param] of REFUSED) {
    it(`refuse ${JSON.stringify({ bank, ...more })} with ${code} of ${param}`, async () => {
      const methods = () => query(shop.databaseUrl, 'SELECT id FROM paymount.payment_methods');
      const before = (await methods()).length;
      const { status, error, text } = await create(bank as object, more);
      expect([status, error['code'], error['param']], text).to.deep.equal([400, code, param]);
      expect(error['message']).to.be.a('string').and.not.contain('000123456780');
      expect((await methods()).length).to.equal(before);
    });
  }

  it('refuse tokens of both, of neither, and in another currency', async () => {
    const both = await shop.post('/v1/tokens', {
      bank_account: BANK_NUMBERS,
      card: { number: '4242424242424242', exp_month: 12, exp_year: 2030 },
    });
    expect([both.status, both.error['code']]).to.deep.equal([400, 'parameters_exclusive']);
    const neither = await shop.post('/v1/tokens', {});
    expect([neither.status, neither.error['code']]).to.deep.equal([400, 'parameter_missing']);
    const euro = await token({ currency: 'eur' });
    expect([euro.error['code'], euro.error['param']]).to.deep.equal([
      'invalid_currency',
      'bank_account[currency]',
    ]);
    const abroad = await token({ country: 'DE' });
    expect([abroad.status, abroad.error['param']]).to.deep.equal([400, 'bank_account[country]']);
  });

  it('refuse an expiry, because a bank account has none', async () => {
    const path = `/v1/payment_methods/${await shop.bank()}`;
    const { status, error } = await shop.post(path, { card: { exp_year: 2040 } });
    expect([status, error['code'], error['param']]).to.deep.equal([
      400,
      'parameters_exclusive',
      'card',
    ]);
  });

  it('are used up by one of ten who use a bank token at once', async () => {
    const { id } = (await token()).json;
    const answers = await Promise.all(Array.from({ length: 10 }, () => create({ token: id })));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).to.deep.equal([200, ...Array(9).fill(400)]);
  });
});
