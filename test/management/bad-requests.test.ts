import { newId } from '@paymount/core/kernel';
import { expect } from 'chai';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import { ask } from '../support/ask.ts';

describe('Bad requests to the management API', () => {
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
      'The key was used in the last 30 days from 127.0.0.1, which the list leaves out. Add them, or send confirm_lockout=true to confirm.',
    ]);
    const confirmed = await app.admin(path, { body: { ...body, confirm_lockout: true } });
    expect(confirmed.json['allowed_ips']).to.deep.equal(['10.0.0.0/8']);
  });

  it('lists nothing for an unknown account, also to admins of all accounts', async () => {
    for (const list of ['keys', 'endpoints', 'deliveries', 'events', 'leaks', 'audit']) {
      expect((await app.admin(`/${list}?account=${app.account}`)).status, list).to.equal(200);
      for (const account of [newId('acct'), 'nobody', '']) {
        const { status, error } = await app.admin(`/${list}?account=${account}`);
        expect([status, error['code'], error['param']], list).to.deep.equal([
          400,
          'resource_missing',
          'account',
        ]);
      }
    }
  });

  it('shows no use of a key from before the hours that are kept', async () => {
    const { json: made } = await app.admin('/keys', {
      body: { account: app.account, livemode: false, type: 'secret', name: 'Shop' },
    });
    const ago = (days: number): string => {
      const moment = new Date(app.clock.now().getTime() - days * 86_400_000);
      return moment.toISOString();
    };
    const usage = `/keys/${String(made['id'])}/usage`;
    for (const since of [ago(0), ago(90)]) {
      expect((await app.admin(`${usage}?since=${since}`)).status, since).to.equal(200);
    }
    const { status, error } = await app.admin(`${usage}?since=${ago(91)}`);
    expect([status, error['code'], error['param']]).to.deep.equal([
      400,
      'parameter_invalid',
      'since',
    ]);
    const [, earliest] =
      /^since can be at most 90 days ago, because older hours are deleted: (\S+:00:00\.000Z) at the earliest\.$/.exec(
        String(error['message']),
      ) ?? [];
    expect((await app.admin(`${usage}?since=${earliest}`)).status, earliest).to.equal(200);
  });

  it('takes no report in the name of those who prove theirs', async () => {
    const report = (source: string) =>
      app.admin('/leaks', { body: { credential: 'none of ours', source } });
    for (const source of ['github', 'url', 'GitHub', ' github ']) {
      const { status, error } = await report(source);
      expect([status, error['code'], error['param'], error['message']], source).to.deep.equal([
        400,
        'parameter_invalid',
        'source',
        'source must be a name of 1 to 100 characters, but not github or url, which are reserved.',
      ]);
    }
    for (const source of ['scan', 'github-enterprise']) {
      expect((await report(source)).status, source).to.equal(200);
    }
  });

  it('creates no account in an unknown country', async () => {
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
