import { expect } from 'chai';
import { ask } from '../http/ask.ts';
import { type AdminApp, startAdminApp } from './admin-app.ts';

describe('What the management API refuses', () => {
  let app: AdminApp;
  before(async () => {
    app = await startAdminApp();
  });
  after(() => app.close());

  it('says how to confirm a list that locks users of the key out', async () => {
    const { json: made } = await app.admin('/keys', {
      body: { account: app.account, livemode: false, type: 'secret', name: 'Shop' },
    });
    await ask(`${app.url}/v1/balance`, { key: String(made['secret']) });
    const path = `/keys/${String(made['id'])}`;
    const body = { allowed_ips: ['10.0.0.0/8'] };
    const { status, error } = await app.admin(path, { body });
    expect([status, error['code'], error['param'], error['message']]).to.deep.equal([
      409,
      'ip_list_excludes_used_addresses',
      'allowed_ips',
      'The key was used in the last 30 days from 127.0.0.1, which the list leaves out. Add them, or send confirm_lockout=true when you mean it.',
    ]);
    const confirmed = await app.admin(path, { body: { ...body, confirm_lockout: true } });
    expect(confirmed.json['allowed_ips']).to.deep.equal(['10.0.0.0/8']);
  });

  it('makes no account in a country that is none', async () => {
    const body = { name: 'Shop', default_currency: 'eur' };
    for (const country of ['XX', 'UK', 'ZZ', 'EU', 'de', 'DEU']) {
      const { status, error } = await app.admin('/accounts', { body: { ...body, country } });
      expect([status, error['code'], error['message']], country).to.deep.equal([
        400,
        'parameter_invalid',
        'country must be an ISO 3166-1 alpha-2 code, such as DE or GB.',
      ]);
    }
    for (const country of ['DE', 'GB', 'US', 'BQ', 'SS', 'ZW']) {
      const made = await app.admin('/accounts', { body: { ...body, country } });
      expect(made.status, made.text).to.equal(200);
    }
  });
});
