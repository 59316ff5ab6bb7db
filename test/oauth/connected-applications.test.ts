import { expect } from 'chai';
import { partsOf } from '../../packages/paymount/src/paymount.ts';
import { ask, type Reply } from '../support/ask.ts';
import { makeAccount, makeKey } from '../support/credentials.ts';
import { query } from '../support/database.ts';
import { type OAuthSetup, startOAuthSetup } from '../support/oauth-setup.ts';

const PATH = '/v1/connected_applications';

describe('/v1/connected_applications', () => {
  let setup: OAuthSetup;

  before(async () => {
    setup = await startOAuthSetup();
  });
  after(() => setup.close());

  const send = (path: string, method = 'GET', key = setup.secretKey): Promise<Reply> =>
    ask(setup.url + PATH + path, { key, method });
  const idsIn = ({ json }: Reply): unknown[] =>
    (json['data'] as { id: string }[]).map(({ id }) => id);

  it('shows a platform with what all approvals allow, who gave the newest, and its last use', async () => {
    expect(idsIn(await send(''))).to.deep.equal([]);
    expect((await send(`/${setup.platform.id}`)).status).to.equal(404);
    await setup.connect({ scopes: ['charges:read'] });
    setup.clock.advance(60_000);
    const { access_token: token } = await setup.connect({ scopes: ['payouts:read'] });
    expect((await ask(`${setup.url}/v1/balance`, { key: String(token) })).status).to.equal(200);
    await partsOf(setup.paymount).usage.flush();
    const since = setup.clock.now().getTime() - 60_000;
    const { json } = await send(`/${setup.platform.id}`);
    expect(json).to.deep.equal({
      id: setup.platform.id,
      object: 'connected_application',
      livemode: false,
      name: 'Ledger app',
      scopes: ['charges:read', 'payouts:read'],
      approved_by: 'user-1',
      last_used_at: json['last_used_at'],
      created: json['created'],
    });
    // The newest approval, not the one of a minute before.
    for (const time of [json['created'], json['last_used_at']]) {
      expect(Date.parse(String(time))).to.be.above(since);
    }
  });

  it('lists the newest platform first, page by page, also after one was disconnected', async () => {
    const [second, third] = [await setup.newPlatform(), await setup.newPlatform()];
    await setup.connect({ platform: second });
    await setup.connect({ platform: third });
    const page = await send('?limit=2');
    expect(idsIn(page)).to.deep.equal([third.id, second.id]);
    expect(page.json['has_more']).to.equal(true);
    expect((await send(`/${second.id}`, 'DELETE')).status).to.equal(200);
    const rest = await send(`?starting_after=${second.id}`);
    expect(idsIn(rest)).to.deep.equal([setup.platform.id]);
    expect(idsIn(await send(''))).to.deep.equal([third.id, setup.platform.id]);
  });

  it('revokes all approvals of a platform, and says the same again', async () => {
    const platform = await setup.newPlatform();
    const tokens = [await setup.connect({ platform }), await setup.connect({ platform })];
    const code = await setup.approve({ platform });
    for (let time = 0; time < 2; time += 1) {
      const { status, json } = await send(`/${platform.id}`, 'DELETE');
      expect([status, json]).to.deep.equal([
        200,
        { id: platform.id, object: 'connected_application', deleted: true },
      ]);
    }
    for (const { access_token: token } of tokens) {
      const { status, error } = await ask(`${setup.url}/v1/charges`, { key: String(token) });
      expect([status, error['code']]).to.deep.equal([401, 'token_revoked']);
    }
    const client = { client_id: platform.id, client_secret: platform.client_secret ?? '' };
    const late = await setup.post('token', { ...client, grant_type: 'authorization_code', code });
    expect(late.json['error']).to.equal('invalid_grant');
    expect((await send(`/${platform.id}`)).status).to.equal(404);
    const entries = await query(
      setup.databaseUrl,
      `SELECT actor_type AS actor, after->>'revoked_reason' AS reason FROM paymount.audit_log
       WHERE action = 'grant.revoke' AND after->>'platform' = '${platform.id}'`,
    );
    expect(entries).to.deep.equal(Array(3).fill({ actor: 'key', reason: 'owner' }));
  });

  it('is for secret keys of the account only (O13, O15; RFC 6749, 10.3)', async () => {
    const { access_token: token } = await setup.connect();
    const { status, error } = await send('', 'GET', String(token));
    expect([status, error['code']]).to.deep.equal([403, 'secret_key_required']);
    const other = await makeAccount(setup.paymount, 'Another shop');
    const { secret } = await makeKey(setup.paymount, other);
    for (const method of ['GET', 'DELETE']) {
      const foreign = await send(`/${setup.platform.id}`, method, secret);
      expect([foreign.status, foreign.error['code']]).to.deep.equal([404, 'resource_missing']);
    }
    expect(idsIn(await send('', 'GET', secret))).to.deep.equal([]);
    expect((await send(`/${setup.platform.id}`)).status).to.equal(200);
  });
});
