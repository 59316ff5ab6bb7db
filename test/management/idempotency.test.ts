import { expect } from 'chai';
import pg from 'pg';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import type { Reply } from '../support/ask.ts';

describe('The Idempotency-Key of an admin', () => {
  let app: AdminApp;
  before(async () => {
    app = await startAdminApp();
  });
  after(() => app.close());

  async function make(key: string, name = 'a', sub = 'ada@shop.test'): Promise<Reply> {
    return app.admin('/keys', {
      token: await app.token(['admin'], { sub }),
      headers: { 'idempotency-key': key },
      body: { account: app.account, livemode: false, type: 'secret', name },
    });
  }

  async function keysNamed(name: string): Promise<number> {
    const { json } = await app.admin(`/keys?account=${app.account}&limit=100`);
    return (json['data'] as { name: string }[]).filter((key) => key.name === name).length;
  }

  it('gives the same answer to the same request, the secret included', async () => {
    const first = await make('one', 'once');
    const second = await make('one', 'once');
    expect(second.headers['idempotent-replayed']).to.equal('true');
    expect(second.headers['original-request']).to.equal(first.headers['request-id']);
    expect(second.text).to.equal(first.text);
    expect(second.json['secret']).to.match(/^sk_test_/);
    expect(await keysNamed('once')).to.equal(1);
  });

  it('is refused for another request', async () => {
    await make('two', 'b');
    const { status, error } = await make('two', 'c');
    expect([status, error['code']]).to.deep.equal([400, 'idempotency_key_mismatch']);
  });

  it('is one of its own for each admin', async () => {
    const [ada, eve] = [await make('three', 'd'), await make('three', 'd', 'eve@shop.test')];
    expect(eve.headers).not.to.have.property('idempotent-replayed');
    expect(eve.json['id']).not.to.equal(ada.json['id']);
  });

  it('lets one of many requests at once do it', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => make('four', 'raced')));
    const made = answers.filter(({ status }) => status === 200);
    expect(new Set(made.map(({ text }) => text)).size).to.equal(1);
    expect(made.length + answers.filter(({ status }) => status === 409).length).to.equal(20);
    expect(await keysNamed('raced')).to.equal(1);
  });

  it('keeps an answer that shows a secret sealed', async () => {
    const { json } = await make('five', 'e');
    const endpoint = await app.admin('/endpoints', {
      headers: { 'idempotency-key': 'six' },
      body: {
        account: app.account,
        livemode: false,
        url: 'https://receiver.example/hook',
        enabled_events: ['*'],
      },
    });
    const client = new pg.Client({ connectionString: app.databaseUrl });
    await client.connect();
    const { rows } = await client.query<{ body: string; kid: string | null }>(
      `SELECT body, kid FROM paymount.idempotency_keys WHERE key LIKE '%five' OR key LIKE '%six'`,
    );
    await client.end();
    expect(rows.map(({ kid }) => kid)).to.deep.equal(['test', 'test']);
    const kept = rows.map(({ body }) => body).join();
    expect(kept).not.to.include(String(json['secret']));
    expect(kept).not.to.include(String(endpoint.json['secret']));
    expect(kept).not.to.include('whsec_');
  });

  it('shows a stored secret only to an admin who may still create it', async () => {
    const ask = async (claims: object): Promise<Reply> =>
      app.admin('/keys', {
        token: await app.token(['admin'], { ...claims }),
        headers: { 'idempotency-key': 'live' },
        body: { account: app.account, livemode: true, type: 'secret', name: 'live' },
      });
    const made = await ask({});
    expect(made.json['secret']).to.match(/^sk_live_/);
    const seconds = Math.floor(app.clock.now().getTime() / 1_000);
    const stale = await ask({ auth_time: seconds - 3_600 });
    expect([stale.status, stale.error['code']]).to.deep.equal([
      401,
      'insufficient_user_authentication',
    ]);
    const elsewhere = await ask({ accounts: [await app.newAccount()] });
    expect([elsewhere.status, elsewhere.error['code']]).to.deep.equal([404, 'resource_missing']);
    const test = await ask({ environments: ['test'] });
    expect([test.status, test.error['code']]).to.deep.equal([403, 'permission_denied']);
    expect((await ask({})).text).to.equal(made.text);
  });

  it('keeps refusals of what cannot be done, and no others', async () => {
    const headers = { 'idempotency-key': 'seven' };
    const path = `/keys/key_${'0'.repeat(25)}1/revoke`;
    const first = await app.admin(path, { headers, body: {} });
    const second = await app.admin(path, { headers, body: {} });
    expect([first.status, second.status]).to.deep.equal([404, 404]);
    expect(second.headers['idempotent-replayed']).to.equal('true');
    const viewer = await app.admin('/accounts', {
      token: await app.token(['viewer']),
      headers: { 'idempotency-key': 'eight' },
      body: { name: 'A', country: 'DE', default_currency: 'eur' },
    });
    expect(viewer.status).to.equal(403);
    const admin = await app.admin('/accounts', {
      headers: { 'idempotency-key': 'eight' },
      body: { name: 'A', country: 'DE', default_currency: 'eur' },
    });
    expect(admin.status).to.equal(200);
  });
});
