import { expect } from 'chai';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import type { Reply } from '../support/ask.ts';
import type { ManagementRoute } from '../support/route-row.ts';
import { MANAGEMENT_ROUTES, ROLES } from '../support/route-table.ts';
import { countRows } from '../support/row-count.ts';

describe('Roles and permissions', () => {
  let app: AdminApp;

  before(async () => {
    app = await startAdminApp();
  });
  after(() => app.close());

  const send = ({ method, path }: ManagementRoute, token: string): Promise<Reply> =>
    app.admin(path, { token, method, ...(method === 'POST' ? { body: {} } : {}) });

  it('cover every route: each names a permission that some role has', () => {
    const named = new Set(MANAGEMENT_ROUTES.map(({ needs }) => needs));
    expect([...named].sort()).to.deep.equal(['none', ...(ROLES['admin']?.test ?? [])].sort());
  });

  for (const [role, { test: permissions }] of Object.entries(ROLES)) {
    it(`open to ${role} the routes of its permissions, and no others`, async () => {
      const rows = await countRows(app.databaseUrl);
      for (const route of MANAGEMENT_ROUTES) {
        const { status, error, text } = await send(route, await app.token([role]));
        const what = `${route.name}: ${status} ${text}`;
        if (route.needs === 'none' || permissions.includes(route.needs)) {
          expect(status, what).to.be.oneOf([200, 400, 404]);
          continue;
        }
        expect([status, error['code']], what).to.deep.equal([403, 'permission_denied']);
        expect(error['required_permission'], what).to.equal(route.needs);
      }
      const after = await countRows(app.databaseUrl);
      // Tokens that served for a call that replaces or removes what works are remembered.
      expect({ ...after, idempotency_keys: 0 }).to.deep.equal({ ...rows, idempotency_keys: 0 });
    });
  }

  it('open nothing but /me to who has no role, or one that nobody knows', async () => {
    for (const roles of [[], ['root'], ['constructor'], ['__proto__'], ['ADMIN']]) {
      for (const route of MANAGEMENT_ROUTES) {
        const { status } = await send(route, await app.token(roles));
        expect(status, `${route.name}`).to.equal(route.needs === 'none' ? 200 : 403);
      }
    }
  });

  it('add up when an admin has several', async () => {
    const { json } = await app.admin('/me', { token: await app.token(['support', 'security']) });
    const { live } = json['permissions'] as { live: string[] };
    expect(live).to.include.members([
      ...(ROLES['support']?.live ?? []),
      ...(ROLES['security']?.live ?? []),
    ]);
    expect(live).not.to.include('keys.write');
  });

  it('are refused without a login, on every route', async () => {
    for (const route of MANAGEMENT_ROUTES) {
      const { status, error, headers } = await send(route, '');
      expect([status, error['code']]).to.deep.equal([401, 'admin_unauthenticated']);
      expect(headers['www-authenticate']).to.equal('Bearer realm="paymount"');
    }
  });

  it('are never those of a key, on any route, however it is sent', async () => {
    const basic = `Basic ${Buffer.from(`${app.secretKey}:`).toString('base64')}`;
    for (const route of MANAGEMENT_ROUTES) {
      for (const authorization of [`Bearer ${app.secretKey}`, basic]) {
        const { status, error, text } = await app.admin(route.path, {
          token: '',
          method: route.method,
          headers: { authorization },
        });
        expect([status, error['code']], text).to.deep.equal([401, 'admin_unauthenticated']);
        expect(error['message']).to.equal(
          'A key of an account cannot be used for the management API.',
        );
      }
    }
    const inUrl = await app.admin(`/me?key=${app.secretKey}`);
    expect([inUrl.status, inUrl.error['code']]).to.deep.equal([400, 'key_in_url']);
    expect(inUrl.text).not.to.include(app.secretKey);
  });
});

describe('A developer', () => {
  let app: AdminApp;
  before(async () => {
    app = await startAdminApp();
  });
  after(() => app.close());

  const keyIn = async (environment: 'live' | 'test'): Promise<string> => {
    const made = {
      account: app.account,
      livemode: environment === 'live',
      type: 'secret',
      name: 'a',
    } as const;
    return (await app.paymount.keys.create({ ...made })).id;
  };

  it('sees live keys, and changes, rotates and revokes those of the test environment alone', async () => {
    const [live, test] = [await keyIn('live'), await keyIn('test')];
    for (const [verb, permission] of [
      ['', 'keys.write'],
      ['/rotate', 'keys.write'],
      ['/revoke', 'keys.revoke'],
    ] as const) {
      const token = await app.token(['developer']);
      const refused = await app.admin(`/keys/${live}${verb}`, { token, body: {} });
      expect([refused.status, refused.error['code']]).to.deep.equal([403, 'permission_denied']);
      expect(refused.error).to.include({
        required_permission: permission,
        message: `In live you lack ${permission}.`,
      });
    }
    const seen = await app.admin(`/keys/${live}`, { token: await app.token(['developer']) });
    expect(seen.json).to.include({ id: live, status: 'active', replaced_by: null });
    const token = await app.token(['developer']);
    expect((await app.admin(`/keys/${test}/revoke`, { token, body: {} })).status).to.equal(200);
  });

  it('makes keys and endpoints of the test environment alone', async () => {
    const key = { account: app.account, type: 'secret', name: 'a' };
    const endpoint = {
      account: app.account,
      url: 'https://receiver.example/hook',
      enabled_events: ['*'],
    };
    for (const [path, body] of [
      ['/keys', key],
      ['/endpoints', endpoint],
    ] as const) {
      const token = await app.token(['developer']);
      const live = await app.admin(path, { token, body: { ...body, livemode: true } });
      expect([live.status, live.error['code']], live.text).to.deep.equal([
        403,
        'permission_denied',
      ]);
      const test = await app.admin(path, { token, body: { ...body, livemode: false } });
      expect(test.status, test.text).to.equal(200);
    }
  });
});
