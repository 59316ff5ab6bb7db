import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { postJson } from '../support/ask.ts';
import { BANK } from '../support/paid-out.ts';
import { rejectionCode } from '../support/rejection-code.ts';
import { PDF, PURPOSE, postParts } from '../support/upload-file.ts';

/** Line ends of every kind, and what turns the direction of the text. */
const BREAKS = ['\n', '\r', '\u0085', '\u2028', '\u2029', '\u202e', '\u2066', '\u200f', '\u0007'];

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

  it('is one line of a payer too, as their telephone, their address and what an endpoint is', async () => {
    const key = app.secretKey;
    const customer = await postJson(`${app.url}/v1/customers`, { name: 'Ada' }, { key });
    const { id } = customer.json;
    const payer = (text: string) =>
      [
        [{ name: text }, 'name'],
        [{ phone: text }, 'phone'],
        [{ address: { line1: text } }, 'address'],
        [{ shipping: { name: text, address: { line1: 'a' } } }, 'shipping'],
      ] as const;
    const card = {
      type: 'card',
      card: { number: '4242424242424242', exp_month: 12, exp_year: 2040 },
    };
    const url = 'https://hooks.example.com/';
    for (const sign of BREAKS) {
      const text = `Ada${sign}admin`;
      for (const [path, body, param] of [
        ...payer(text).flatMap(([sent, field]) => [
          ['/v1/customers', sent, field] as const,
          [`/v1/customers/${id}`, sent, field] as const,
        ]),
        ['/v1/payment_methods', { ...card, billing_details: { name: text } }, 'billing_details'],
        ['/v1/webhook_endpoints', { url, enabled_events: ['*'], description: text }, 'description'],
      ] as const) {
        const { status, error } = await postJson(app.url + path, body, { key });
        expect([status, error['code']], JSON.stringify([sign, path, body])).to.deep.equal([
          400,
          'parameter_invalid',
        ]);
        expect(String(error['param']).startsWith(param), String(error['param'])).to.equal(true);
      }
      const file = { name: 'file', filename: `a${sign}b.pdf`, type: 'application/pdf' };
      if (sign === '\n' || sign === '\r') continue;
      const sent = await postParts(`${app.url}/v1/files`, [PURPOSE, { ...file, content: PDF }], {
        key,
      });
      expect([sent.status, sent.error['param']], JSON.stringify(sign)).to.deep.equal([400, 'file']);
    }
    const kept = { name: 'Zoë “Zo” متجر', phone: '', description: 'two\nlines' };
    const updated = await postJson(`${app.url}/v1/customers/${id}`, kept, { key });
    expect(updated.json).to.include({ ...kept, phone: null });
  });
});
