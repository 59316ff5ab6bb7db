import { expect } from 'chai';
import { ask, postJson } from '../support/ask.ts';
import { type DebitShop, startDebitShop } from '../support/debit-shop.ts';
import { startHost, type TestHost } from '../support/host.ts';

/** What the charges of one payment method end as, one after another. */
const CARDS: readonly (readonly [name: string, ...codes: (string | null)[]])[] = [
  ['declined_from_charge_2', null, 'insufficient_funds', 'insufficient_funds'],
  ['expired_from_charge_2', null, 'expired_card', 'expired_card'],
  ['lost_from_charge_2', null, 'lost_card', 'lost_card'],
  ['recovers_on_charge_3', null, 'insufficient_funds', null, null],
];

describe('Payment methods of the sandbox that change with their charges', () => {
  let shop: DebitShop;
  /** Another process of the same database. */
  let other: TestHost;

  before(async () => {
    shop = await startDebitShop();
    other = await startHost(shop);
  });
  after(async () => {
    await other.close();
    await shop.close();
  });
  afterEach(async () => {
    expect(await shop.paymount.verify()).to.deep.equal([]);
  });

  async function customer(method: string): Promise<string> {
    const made = await shop.post('/v1/customers', {
      payment_method: method,
      invoice_settings: { default_payment_method: method },
    });
    expect(made.status, made.text).to.equal(200);
    return String(made.json['id']);
  }

  /** @returns the reason of the decline; null: it was paid */
  async function charge(payer: string, { url, more = {} }: { url?: string; more?: object } = {}) {
    const sale = { amount: 4_200, currency: 'eur', customer: payer, ...more };
    const sent = await postJson(`${url ?? shop.url}/v1/charges`, sale, { key: shop.secretKey });
    return sent.error['decline_code'] ?? sent.error['code'] ?? null;
  }

  for (const [name, ...codes] of CARDS) {
    it(`count the charges of each customer, in whichever process: ${name}`, async () => {
      const [one, two] = [await customer(`pm_card_${name}`), await customer(`pm_card_${name}`)];
      const told: unknown[] = [];
      for (const index of codes.keys()) {
        told.push(await charge(one, { url: index % 2 === 0 ? shop.url : other.url }));
      }
      expect(told).to.deep.equal(codes);
      expect(await charge(two)).to.equal(null);
    });
  }

  it('give each of two charges at the same time a turn of its own', async () => {
    const payer = await customer('pm_card_declined_from_charge_2');
    const told = await Promise.all([charge(payer), charge(payer, { url: other.url })]);
    expect(told.toSorted()).to.deep.equal(['insufficient_funds', null]);
  });

  it('count a request that is repeated once', async () => {
    const payer = await customer('pm_card_declined_from_charge_2');
    const sale = { amount: 4_200, currency: 'eur', customer: payer };
    const headers = { 'idempotency-key': payer };
    const first = await shop.post('/v1/charges', sale, headers);
    const again = await shop.post('/v1/charges', sale, headers);
    expect([first.status, again.json['id']]).to.deep.equal([200, first.json['id']]);
    expect(await charge(payer)).to.equal('insufficient_funds');
  });

  it('give back what was charged before', async () => {
    const payer = await customer('pm_card_declined_from_charge_2');
    const sale = { amount: 4_200, currency: 'eur', customer: payer };
    const { json } = await shop.post('/v1/charges', sale);
    await charge(payer);
    const refund = await shop.post('/v1/refunds', { charge: json['id'] });
    expect(refund.json).to.include({ status: 'succeeded', amount: 4_200 });
  });

  it('need authentication only while the payer is absent', async () => {
    const payer = await customer('pm_card_authentication_required_off_session');
    expect(await charge(payer)).to.equal(null);
    const more = { off_session: true };
    expect(await charge(payer, { more })).to.equal('authentication_required');
    expect(await charge(payer)).to.equal(null);
  });

  it('are bank accounts whose debits are returned from the second on', async () => {
    const debits: string[] = [];
    const bank = await shop.bank('000222222235');
    const payer = await shop.post('/v1/customers', {
      payment_method: bank,
      invoice_settings: { default_payment_method: bank },
    });
    for (let turn = 0; turn < 2; turn += 1) {
      const made = await shop.post('/v1/charges', {
        amount: 5_000,
        currency: 'usd',
        customer: payer.json['id'],
      });
      expect(made.json['status'], made.text).to.equal('pending');
      debits.push(String(made.json['id']));
      await shop.pass(2_500);
    }
    const ended = debits.map((id) => ask(`${shop.url}/v1/charges/${id}`, { key: shop.secretKey }));
    const [first, second] = (await Promise.all(ended)).map(({ json }) => json);
    expect(first).to.include({ status: 'succeeded', failure_code: null });
    expect(second).to.include({ status: 'failed', failure_code: 'insufficient_funds' });
  });
});
