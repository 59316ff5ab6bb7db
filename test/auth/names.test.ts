import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, postJson } from '../support/ask.ts';
import { query } from '../support/database.ts';
import { BANK } from '../support/paid-out.ts';
import { rejectionCode } from '../support/rejection-code.ts';
import { PDF, PURPOSE, postParts } from '../support/upload-file.ts';

/** Line ends of every kind, and what turns the direction of the text. */
const BREAKS = ['\n', '\r', '\u0085', '\u2028', '\u2029', '\u202e', '\u2066', '\u200f', '\u0007'];
/** How a payer is shown whose texts were all `Ada`, one of these, and `B`. */
const CONTACT = {
  name: 'Ada B',
  phone: 'Ada B',
  address: {
    city: 'Ada B',
    country: null,
    line1: 'Ada B',
    line2: 'Ada B',
    postal_code: 'Ada B',
    state: 'Ada B',
  },
};

describe('A name', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp();
  });
  after(() => app.close());

  it('is one line that leaves the text beside it as it is, whatever it names', async () => {
    const { accounts, keys, platforms } = app.paymount;
    const shop = { country: 'DE', default_currency: 'eur' };
    const key = { account: app.account, livemode: false, type: 'secret' } as const;
    const platform = {
      livemode: false,
      contact_email: 'app@example.com',
      scopes: ['charges:read'] as const,
      redirect_uris: ['https://app.example.com/callback'],
    };
    const { id } = await keys.create({ ...key, name: 'Shop' });
    for (const sign of BREAKS) {
      const name = `Shop${sign}admin`;
      for (const refused of [
        accounts.create({ ...shop, name }),
        accounts.update(app.account, { name }),
        keys.create({ ...key, name }),
        keys.update(id, { name }),
        platforms.create({ ...platform, name }),
      ]) {
        expect(await rejectionCode(refused), JSON.stringify(sign)).to.equal('parameter_invalid');
      }
      const sent = { external_account: { ...BANK, account_holder_name: name } };
      for (const [path, body, param] of [
        [
          `/v1/accounts/${app.account}/external_accounts`,
          sent,
          'external_account[account_holder_name]',
        ],
        ['/v1/test_helpers/test_clocks', { frozen_time: 1_800_000_000, name }, 'name'],
      ] as const) {
        const { status, error } = await postJson(app.url + path, body, { key: app.secretKey });
        expect([status, error['code'], error['param']], JSON.stringify(sign)).to.deep.equal([
          400,
          'parameter_invalid',
          param,
        ]);
      }
    }
    const named = await accounts.update(app.account, { name: 'Café “Zur Post” — متجر' });
    expect(named.name).to.equal('Café “Zur Post” — متجر');
  });

  it('of a payer, and a text about one or an endpoint, is accepted and put on one line', async () => {
    const key = app.secretKey;
    for (const sign of BREAKS) {
      const text = `Ada${sign}B`;
      const address = { city: text, line1: text, line2: text, postal_code: text, state: text };
      const contact = { name: text, phone: text, address };
      const payer = { ...contact, shipping: contact };
      const made = await postJson(`${app.url}/v1/customers`, payer, { key });
      expect(made.json, made.text).to.deep.include({ ...CONTACT, shipping: CONTACT });
      const updated = await postJson(`${app.url}/v1/customers/${made.json['id']}`, payer, { key });
      expect(updated.json, updated.text).to.deep.include({ ...CONTACT, shipping: CONTACT });
      const method = { type: 'card', card: { token: 'tok_visa' }, billing_details: contact };
      const saved = await postJson(`${app.url}/v1/payment_methods`, method, { key });
      expect(saved.json['billing_details'], saved.text).to.deep.equal({ ...CONTACT, email: null });
      const endpoint = { url: 'https://hooks.example.com/', enabled_events: ['payout.paid'] };
      const described = { ...endpoint, description: text };
      const hook = await postJson(`${app.url}/v1/webhook_endpoints`, described, { key });
      expect(hook.json, hook.text).to.include({ description: 'Ada B' });
    }
    const kept = { name: 'Zoë “Zo” متجر', phone: '', description: 'two\nlines' };
    const customer = await postJson(`${app.url}/v1/customers`, kept, { key });
    expect(customer.json).to.include({ ...kept, phone: null });
  });

  it('of a file has no character that turns the direction of the text', async () => {
    for (const [sent, filename] of [
      ['\u200fa\u200f.pdf', 'a .pdf'],
      ['\u202e', 'file'],
    ] as const) {
      const file = { name: 'file', filename: sent, type: 'application/pdf', content: PDF };
      const key = app.secretKey;
      const { json, text } = await postParts(`${app.url}/v1/files`, [PURPOSE, file], { key });
      expect(json, text).to.include({ filename });
    }
  });

  it('of a payer is compared as it was sent when the same idempotency key comes again', async () => {
    const charge = (line1: string) =>
      postJson(
        `${app.url}/v1/charges`,
        {
          amount: 4200,
          currency: 'eur',
          payment_method: 'tok_visa',
          shipping: { name: 'Ada', address: { line1 } },
        },
        { key: app.secretKey, headers: { 'idempotency-key': 'order 17' } },
      );
    const first = await charge('Main St 1\nBack yard');
    const line1 = 'Main St 1 Back yard';
    expect(first.json, first.text).to.have.nested.property('shipping.address.line1', line1);
    const again = await charge('Main St 1\nBack yard');
    expect([again.status, again.json['id']]).to.deep.equal([200, first.json['id']]);
    expect((await charge(line1)).error['code']).to.equal('idempotency_key_mismatch');
  });

  it('of a payer is shown on one line if an earlier version stored it as it came', async () => {
    const key = app.secretKey;
    const { json } = await postJson(`${app.url}/v1/customers`, { name: 'Ada' }, { key });
    const id = String(json['id']);
    const update = 'UPDATE paymount.customers SET name = $1 WHERE id = $2';
    await query(app.databaseUrl, update, ['Ada\n\u200fadmin', id]);
    const found = await ask(`${app.url}/v1/customers/${id}`, { key });
    expect(found.json).to.include({ name: 'Ada admin' });
  });
});
