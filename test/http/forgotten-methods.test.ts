import { expect } from 'chai';
import { ask, type Reply } from '../support/ask.ts';
import { query } from '../support/database.ts';
import { BANK_NUMBERS, type DebitShop, MANDATE, startDebitShop } from '../support/debit-shop.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const PERSON = {
  billing_details: {
    name: 'Leaverina',
    email: 'leaverina@shop.example',
    phone: '030-leaverina',
    address: { line1: 'Leaverina street 1', city: 'Berlin', country: 'DE' },
  },
  metadata: { note: 'leaverina' },
};
const NOBODY = { name: null, email: null, phone: null, address: null };

describe('What payment methods say about a person', () => {
  let shop: DebitShop;

  before(async () => {
    shop = await startDebitShop();
  });
  after(() => shop.close());
  afterEach(async () => {
    expect(await shop.paymount.verify()).to.deep.equal([]);
  });

  const make = async (path: string, body: object = {}): Promise<string> => {
    const { status, json, text } = await shop.post(`/v1/${path}`, body);
    expect(status, text).to.equal(200);
    return String(json['id']);
  };
  const card = () =>
    make('payment_methods', { type: 'card', card: { token: 'tok_visa' }, ...PERSON });
  /** A bank account whose token has the name of the holder as well. */
  const bank = async (more: object = { mandate_data: MANDATE }) => {
    const token = await make('tokens', {
      bank_account: { ...BANK_NUMBERS, account_holder_name: 'Leaverina' },
    });
    const us_bank_account = { token };
    return make('payment_methods', {
      type: 'us_bank_account',
      us_bank_account,
      ...PERSON,
      ...more,
    });
  };
  /** What is stored, and whether the number of a bank account is among it. */
  const stored = async (id: string) => {
    const [kept] = await query(
      shop.databaseUrl,
      `SELECT p::text AS row, sealed_number IS NOT NULL AS has_number
        FROM paymount.payment_methods p WHERE id = '${id}'`,
    );
    return { row: String(kept?.['row']), hasNumber: kept?.['has_number'] };
  };
  const refusal = ({ status, error }: Reply) => [status, error['code'], error['param']];
  const UNUSABLE = [400, 'payment_method_unusable'];

  for (const [kind, create] of [
    ['card', card],
    ['bank account', bank],
  ] as const) {
    it(`goes when a ${kind} is detached, long before its customer is deleted`, async () => {
      const customer = await make('customers', { name: 'Leaverina' });
      const method = await create();
      await make(`payment_methods/${method}/attach`, { customer });
      expect((await stored(method)).row).to.match(/leaverina/i);
      const detached = await shop.post(`/v1/payment_methods/${method}/detach`);
      expect(detached.status, detached.text).to.equal(200);
      expect(detached.json).to.deep.include({
        id: method,
        object: 'payment_method',
        customer: null,
        billing_details: NOBODY,
        metadata: {},
      });
      const gone = await ask(`${shop.url}/v1/customers/${customer}`, {
        method: 'DELETE',
        key: shop.secretKey,
      });
      expect(gone.status, gone.text).to.equal(200);
      const { row, hasNumber } = await stored(method);
      expect(row).to.not.match(/leaverina/i);
      expect(hasNumber, 'for refunds').to.equal(kind === 'bank account');
      const { json } = await shop.get(`/v1/payment_methods/${method}`);
      expect(json['card'] ?? json['us_bank_account']).to.include({
        last4: kind === 'card' ? '4242' : '6789',
      });
    });

    it(`does not come back to a ${kind} that was detached`, async () => {
      const method = await create();
      await make(`payment_methods/${method}/attach`, { customer: await make('customers') });
      await make(`payment_methods/${method}/detach`);
      const changed = await shop.post(`/v1/payment_methods/${method}`, PERSON);
      expect(refusal(changed)).to.deep.equal([...UNUSABLE, undefined]);
      expect((await stored(method)).row).to.not.match(/leaverina/i);
    });
  }

  it('goes from a bank account that nobody used for 7 days, with its number', async () => {
    const made = [bank(), bank(), bank(), card()] as const;
    const [unused, charged, attached, saved] = await Promise.all(made);
    expect((await shop.debit(charged)).status).to.equal(200);
    const customer = await make('customers');
    await make(`payment_methods/${attached}/attach`, { customer });
    await shop.pass(7 * DAY - MINUTE);
    expect(await stored(unused)).to.deep.include({ hasNumber: true });
    await shop.pass(HOUR);
    const { row, hasNumber } = await stored(unused);
    expect(hasNumber).to.equal(false);
    expect(row).to.not.match(/leaverina/i);
    for (const kept of [charged, attached]) {
      expect(await stored(kept)).to.deep.include({ hasNumber: true });
      expect((await stored(kept)).row).to.match(/leaverina/i);
    }
    expect((await stored(saved)).row, 'a card').to.match(/leaverina/i);
    const shown = await shop.get(`/v1/payment_methods/${unused}`);
    expect(shown.json).to.deep.include({ customer: null, billing_details: NOBODY, metadata: {} });
    expect(shown.json['us_bank_account']).to.include({ last4: '6789' });
  });

  it('is not asked for again of a bank account that was erased: it cannot be used', async () => {
    const erased = await bank();
    await shop.pass(7 * DAY + HOUR);
    const charge = await shop.debit(erased);
    expect(refusal(charge)).to.deep.equal([...UNUSABLE, 'payment_method']);
    expect(charge.error['message']).to.equal(
      `Payment method ${erased} was not used within 7 days, so its bank account was erased. Create another one.`,
    );
    const customer = await make('customers');
    const attach = await shop.post(`/v1/payment_methods/${erased}/attach`, { customer });
    expect(refusal(attach)).to.deep.equal([...UNUSABLE, undefined]);
    const first = await shop.post('/v1/customers', { payment_method: erased });
    expect(refusal(first)).to.deep.equal([...UNUSABLE, 'payment_method']);
    const changed = await shop.post(`/v1/payment_methods/${erased}`, PERSON);
    expect(refusal(changed)).to.deep.equal([...UNUSABLE, undefined]);
    const detach = await shop.post(`/v1/payment_methods/${erased}/detach`);
    expect(refusal(detach)).to.deep.equal([400, 'payment_method_unattached', undefined]);
  });

  it('goes or is used, but never both, beside a charge and an attachment', async () => {
    const customer = await make('customers');
    for (let round = 0; round < 10; round += 1) {
      const [charged, attached] = [await bank(), await bank()];
      shop.clock.advance(8 * DAY);
      const [charge, attach] = await Promise.all([
        shop.debit(charged),
        shop.post(`/v1/payment_methods/${attached}/attach`, { customer }),
        shop.worker.drain(),
      ]);
      for (const [reply, id] of [
        [charge, charged],
        [attach, attached],
      ] as const) {
        const isUsed = reply.status === 200;
        if (!isUsed) expect(refusal(reply).slice(0, 2), reply.text).to.deep.equal(UNUSABLE);
        expect((await stored(id)).hasNumber, id).to.equal(isUsed);
      }
      await shop.pass(3_000);
      if (charge.status === 200) {
        const { json } = await shop.get(`/v1/charges/${charge.json['id']}`);
        expect(json['status']).to.equal('succeeded');
      }
      await make(`payment_methods/${attached}/detach`).catch(() => undefined);
    }
  });
});
