import { expect } from 'chai';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import type { Reply } from '../support/ask.ts';
import { query } from '../support/database.ts';

const APP = {
  livemode: false,
  name: 'Ledger app',
  redirect_uris: ['https://ledger.example.com/callback'],
  scopes: ['payouts:read', 'charges:read'],
  contact_email: 'ops@ledger.example.com',
};

describe('Platforms in the management API', () => {
  let app: AdminApp;

  before(async () => {
    app = await startAdminApp();
  });
  after(() => app.close());

  const create = (body: object = {}, token?: string): Promise<Reply> =>
    app.admin('/platforms', { body: { ...APP, ...body }, ...(token && { token }) });
  const created = async (body: object = {}): Promise<Reply['json']> => {
    const reply = await create(body);
    expect(reply.status, reply.text).to.equal(200);
    return reply.json;
  };
  const post = (id: unknown, action: string, body: object = {}): Promise<Reply> =>
    app.admin(`/platforms/${String(id)}${action}`, { body });
  const secretIds = (json: Reply['json']): readonly string[] =>
    (json['client_secrets'] as { id: string }[]).map(({ id }) => id);

  it('are created with a client secret, which only that response shows', async () => {
    const made = await created();
    const secret = String(made['client_secret']);
    expect(secret).to.match(/^ocs_pm[0-9A-Za-z]{38}$/);
    const { client_secret: _, ...shown } = made;
    const [stored] = made['client_secrets'] as object[];
    expect(shown).to.deep.equal({
      id: made['id'],
      object: 'platform',
      livemode: false,
      type: 'confidential',
      name: 'Ledger app',
      redirect_uris: ['https://ledger.example.com/callback'],
      callback_origins: [],
      scopes: ['charges:read', 'payouts:read'],
      require_pkce: false,
      contact_email: 'ops@ledger.example.com',
      status: 'active',
      disabled_at: null,
      client_secrets: [stored],
      created: made['created'],
      created_by: 'ada@shop.test',
    });
    expect(made['id']).to.match(/^ca_/);
    expect(stored).to.deep.include({
      object: 'client_secret',
      redacted: `ocs_pm...${secret.slice(-4)}`,
      last4: secret.slice(-4),
      created_by: 'ada@shop.test',
    });
    const seen = await app.admin(`/platforms/${String(made['id'])}`);
    expect(seen.json).to.deep.equal(shown);
    const rows = await query(app.databaseUrl, 'SELECT * FROM paymount.client_secrets');
    expect(JSON.stringify(rows)).not.to.include(secret);
  });

  it('have no secret and always use PKCE if they are public', async () => {
    const uris = ['http://127.0.0.1/callback', 'com.example.app:/callback'];
    const made = await created({ livemode: true, type: 'public', redirect_uris: uris });
    expect(made).to.deep.include({ require_pkce: true, client_secrets: [], redirect_uris: uris });
    expect(made).not.to.have.property('client_secret');
    const refused = await post(made['id'], '/create_secret');
    expect([refused.status, refused.error['code']]).to.deep.equal([
      400,
      'client_secret_not_allowed',
    ]);
    const without = await post(made['id'], '', { require_pkce: false });
    expect(without.error).to.include({ code: 'parameter_invalid', param: 'require_pkce' });
  });

  it('have at most two secrets that work, so that one can replace the other', async () => {
    const made = await created();
    const second = await post(made['id'], '/create_secret');
    expect(second.json['client_secret']).to.match(/^ocs_/);
    const [newest, oldest] = secretIds(second.json);
    expect(oldest).to.equal(secretIds(made)[0]);
    const third = await post(made['id'], '/create_secret');
    expect([third.status, third.error['code']]).to.deep.equal([409, 'client_secret_limit_reached']);
    const revoked = await post(made['id'], '/revoke_secret', { client_secret: oldest });
    expect(secretIds(revoked.json)).to.deep.equal([newest]);
    const again = await post(made['id'], '/revoke_secret', { client_secret: oldest });
    expect([again.status, again.error['param']]).to.deep.equal([400, 'client_secret']);
    expect((await post(made['id'], '/create_secret')).status).to.equal(200);
  });

  it('never have a third secret, even if ten admins create one at once', async () => {
    const made = await created();
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => post(made['id'], '/create_secret')),
    );
    expect(replies.filter(({ status }) => status === 200)).to.have.lengthOf(1);
    for (const { status, error } of replies.filter((reply) => reply.status !== 200)) {
      expect([status, error['code']]).to.deep.equal([409, 'client_secret_limit_reached']);
    }
    const { json } = await app.admin(`/platforms/${String(made['id'])}`);
    expect(json['client_secrets']).to.have.lengthOf(2);
  });

  it('are refused with a redirect URI that could lead elsewhere, and the error names it', async () => {
    for (const uri of [
      'http://ledger.example.com/callback',
      'https://*.example.com/callback',
      'https://ledger.example.com/callback#part',
      'https://ada:pass@ledger.example.com/',
      'javascript:alert(1)',
      'com.example.app:/callback',
      '/callback',
    ]) {
      const redirect_uris = [APP.redirect_uris[0], uri];
      const { status, error } = await create({ livemode: true, redirect_uris });
      expect([status, error['param']], uri).to.deep.equal([400, 'redirect_uris[1]']);
    }
    const { error } = await create({ redirect_uris: ['https://Ledger.example.com/a/../b'] });
    expect(error['message']).to.equal(
      'The redirect URI is not in its normal form. Did you mean https://ledger.example.com/b?',
    );
    // The last two would have a meaning in the content security policy of the page.
    for (const text of ['https://ledger.example.com/path', 'https://*', 'https://a;sandbox']) {
      const origin = await create({ callback_origins: [text] });
      expect([origin.status, origin.error['param']], text).to.deep.equal([
        400,
        'callback_origins[0]',
      ]);
    }
    const sandboxed = await create({ redirect_uris: ['https://a;sandbox/'] });
    expect(sandboxed.error['param']).to.equal('redirect_uris[0]');
  });

  it('are listed by environment and status, newest first', async () => {
    const live = await created({ livemode: true });
    const disabled = await created();
    await post(disabled['id'], '/disable');
    const listed = async (filter: string): Promise<readonly string[]> => {
      const { json } = await app.admin(`/platforms?limit=100&${filter}`);
      return (json['data'] as { id: string }[]).map(({ id }) => id);
    };
    expect((await listed('livemode=true'))[0]).to.equal(live['id']);
    expect(await listed('livemode=true')).not.to.include(disabled['id']);
    expect(await listed('status=disabled')).to.deep.equal([disabled['id']]);
    const page = await app.admin(`/platforms?limit=1&starting_after=${String(disabled['id'])}`);
    expect((page.json['data'] as { id: string }[])[0]?.id).to.equal(live['id']);
  });

  it('are seen only by admins of all accounts', async () => {
    const made = await created();
    const token = await app.token(['admin'], { accounts: [app.account] });
    expect((await app.admin('/platforms', { token })).json['data']).to.deep.equal([]);
    const seen = await app.admin(`/platforms/${String(made['id'])}`, {
      token: await app.token(['admin'], { accounts: [app.account] }),
    });
    expect(seen.status).to.equal(404);
    const refused = await create({}, await app.token(['admin'], { accounts: [app.account] }));
    expect([refused.status, refused.error['code']]).to.deep.equal([403, 'permission_denied']);
  });

  it('are not replayed to an admin who was restricted to some accounts since', async () => {
    const headers = { 'idempotency-key': 'create-once' };
    const first = await app.admin('/platforms', { body: APP, headers });
    expect(first.status).to.equal(200);
    const token = await app.token(['admin'], { accounts: [app.account] });
    const again = await app.admin('/platforms', { body: APP, headers, token });
    expect([again.status, again.error['code']]).to.deep.equal([404, 'resource_missing']);
  });

  it('change nothing and write no audit row if they are as wanted', async () => {
    const made = await created();
    await post(made['id'], '', { name: APP.name });
    await post(made['id'], '/enable');
    const { json } = await app.admin(`/audit?target=${String(made['id'])}`);
    const actions = (json['data'] as { action: string }[]).map(({ action }) => action);
    expect(actions).to.deep.equal(['platform.create']);
  });
});
