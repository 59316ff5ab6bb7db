import { expect } from 'chai';
import pg from 'pg';
import Stripe from 'stripe';
import { ask, postForm, type Reply } from '../support/ask.ts';
import { query } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { type OAuthSetup, pkce, startOAuthSetup } from '../support/oauth-setup.ts';

/** Every process refuses what was revoked within this time. */
const REFUSED_WITHIN_MS = 500;

/** Whether a claim waits for the claim of another process. */
async function isWaiting(databaseUrl: string): Promise<boolean> {
  const rows = await query(
    databaseUrl,
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rows.length > 0;
}

describe('An access token on /v1', () => {
  let setup: OAuthSetup;

  before(async () => {
    setup = await startOAuthSetup();
  });
  after(() => setup.close());

  const call = (token: unknown, path = '/v1/charges'): Promise<Reply> =>
    ask(setup.url + path, { key: String(token) });
  const charge = (token: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
    postForm(`${setup.url}/v1/charges`, 'amount=700&currency=eur&source=tok_visa', {
      key: String(token),
      headers,
    });
  /** As somebody who has no secret. */
  const postAnonymously = (endpoint: string, form: Record<string, string>): Promise<Reply> =>
    postForm(`${setup.url}/oauth/${endpoint}`, new URLSearchParams(form).toString(), { key: '' });
  const tokenOf = async (...given: Parameters<OAuthSetup['connect']>): Promise<string> =>
    String((await setup.connect(...given))['access_token']);

  /** How long the token is accepted after the change that ends it was answered. */
  async function refusedWith(token: string, end: () => Promise<unknown>): Promise<unknown> {
    expect((await call(token)).status).to.equal(200);
    await end();
    const from = performance.now();
    const code = await eventually(async () => (await call(token)).error['code']);
    expect(performance.now() - from).to.be.lessThan(REFUSED_WITHIN_MS);
    return code;
  }

  it('acts for the merchant who approved, as Bearer and as Basic, and for no other (O15; RFC 6749, 10.3)', async () => {
    const token = await tokenOf();
    const made = await charge(token);
    expect(made.status, made.text).to.equal(200);
    const seen = await ask(`${setup.url}/v1/charges/${String(made.json['id'])}`, {
      key: setup.secretKey,
    });
    expect(seen.json['amount']).to.equal(700);
    const authorization = `Basic ${Buffer.from(`${token}:`).toString('base64')}`;
    const basic = await ask(`${setup.url}/v1/charges`, { key: '', headers: { authorization } });
    expect(basic.status).to.equal(200);
    const other = await setup.paymount.accounts.create({
      name: 'Another shop',
      country: 'DE',
      default_currency: 'eur',
    });
    const foreign = await tokenOf({ account: other.id });
    const path = `/v1/charges/${String(made.json['id'])}`;
    expect((await call(foreign, path)).error['code']).to.equal('resource_missing');
  });

  it('may do what the merchant approved, and the response names the scope that is missing (A03)', async () => {
    const token = await tokenOf({ scopes: ['charges:read'] });
    const { status, error, headers } = await charge(token);
    expect([status, error['code'], error['message']]).to.deep.equal([
      403,
      'insufficient_scope',
      'This token lacks charges:write.',
    ]);
    expect(headers['www-authenticate']).to.equal(
      'Bearer error="insufficient_scope", scope="charges:write"',
    );
    expect((await call(token, '/v1/balance')).error['code']).to.equal('insufficient_scope');
    expect((await call(token, '/v1/api_keys')).error['code']).to.equal('secret_key_required');
  });

  it('ends after an hour', async () => {
    const token = await tokenOf();
    setup.clock.advance(3_590_000);
    expect((await call(token)).status).to.equal(200);
    setup.clock.advance(10_000);
    const { status, error } = await call(token);
    expect([status, error['code']]).to.deep.equal([401, 'token_expired']);
  });

  it('is refused within 500 ms of the revocation of its refresh token (O13; RFC 7009, 2.1)', async () => {
    const pair = await setup.connect();
    const end = () => setup.post('revoke', { token: String(pair['refresh_token']) });
    expect(await refusedWith(String(pair['access_token']), end)).to.equal('token_revoked');
  });

  it('is refused within 500 ms of its own revocation, and the grant goes on', async () => {
    const pair = await setup.connect();
    const token = String(pair['access_token']);
    const end = () => setup.post('revoke', { token, token_type_hint: 'access_token' });
    expect(await refusedWith(token, end)).to.equal('token_revoked');
    const refreshed = await setup.post('token', {
      grant_type: 'refresh_token',
      refresh_token: String(pair['refresh_token']),
    });
    expect(refreshed.status).to.equal(200);
  });

  it('is refused within 500 ms while its platform is disabled', async () => {
    const platform = await setup.newPlatform();
    const token = await tokenOf({ platform });
    const end = () => setup.paymount.platforms.disable(platform.id);
    expect(await refusedWith(token, end)).to.equal('token_revoked');
    await setup.paymount.platforms.enable(platform.id);
    await eventually(async () => (await call(token)).status === 200);
  });

  it('is refused within 500 ms while the account is suspended', async () => {
    const { id } = await setup.paymount.accounts.create({
      name: 'Suspended shop',
      country: 'DE',
      default_currency: 'eur',
    });
    const token = await tokenOf({ account: id });
    const end = () => setup.paymount.accounts.suspend(id);
    expect(await refusedWith(token, end)).to.equal('account_disabled');
  });

  it('loses a scope with its platform', async () => {
    const platform = await setup.newPlatform();
    const token = await tokenOf({ platform });
    expect((await call(token)).status).to.equal(200);
    await setup.paymount.platforms.update(platform.id, { scopes: ['charges:write'] });
    await eventually(async () => (await call(token)).error['code'] === 'insufficient_scope');
  });

  it('moves no money after its grant was revoked, even if this process has not heard of it', async () => {
    const pair = await setup.connect();
    const token = String(pair['access_token']);
    expect((await call(token)).status).to.equal(200);
    // Behind the back of the generation counter, so that the cached token stays.
    await query(
      setup.databaseUrl,
      `UPDATE paymount.grants SET version = version + 1, status = 'revoked',
        revoked_reason = 'admin', revoked_at = now() WHERE status = 'active'`,
    );
    const { status, error } = await charge(token);
    expect([status, error['code']]).to.deep.equal([401, 'token_revoked']);
  });

  it('replays the response to an Idempotency-Key of an earlier token of the same grant', async () => {
    const pair = await setup.connect();
    const headers = { 'idempotency-key': 'order-1' };
    const first = await charge(pair['access_token'], headers);
    expect(first.status, first.text).to.equal(200);
    const refreshed = await setup.post('token', {
      grant_type: 'refresh_token',
      refresh_token: String(pair['refresh_token']),
    });
    const again = await charge(refreshed.json['access_token'], headers);
    expect(again.headers['idempotent-replayed']).to.equal('true');
    expect(again.json['id']).to.equal(first.json['id']);
  });

  it('is described to its own platform, and to nobody else (RFC 7662)', async () => {
    const pair = await setup.connect();
    const token = String(pair['access_token']);
    const { json } = await setup.post('introspect', { token });
    expect(json).to.deep.include({
      active: true,
      scope: 'charges:read charges:write',
      client_id: setup.platform.id,
      token_type: 'bearer',
      sub: setup.account,
      iss: 'https://pay.example.com',
      livemode: false,
    });
    expect(Number(json['exp']) - Number(json['iat'])).to.equal(3_600);
    const other = await setup.newPlatform();
    const asOther = { client_id: other.id, client_secret: String(other.client_secret) };
    for (const asked of [{ token, ...asOther }, { token: 'oat_unknown' }]) {
      expect((await setup.post('introspect', asked)).json).to.deep.equal({ active: false });
    }
    await setup.post('revoke', { token, ...asOther });
    expect((await setup.post('introspect', { token })).json['active']).to.equal(true);
    await setup.post('revoke', { token });
    expect((await setup.post('introspect', { token })).json).to.deep.equal({ active: false });
  });

  it('can be given up with the stripe package, unmodified', async () => {
    const { hostname: host, port } = new URL(setup.url);
    const stripe = new Stripe(String(setup.platform.client_secret), {
      host,
      port,
      protocol: 'http',
      maxNetworkRetries: 0,
    });
    const pair = await stripe.oauth.token({
      grant_type: 'authorization_code',
      code: await setup.approve(),
      client_id: setup.platform.id,
      client_secret: setup.platform.client_secret,
    } as Stripe.OAuthTokenParams);
    const token = String(pair.access_token);
    expect((await call(token)).status).to.equal(200);
    const given = await stripe.oauth.deauthorize({
      client_id: setup.platform.id,
      client_secret: setup.platform.client_secret,
      stripe_user_id: setup.account,
    } as Stripe.OAuthDeauthorizeParams);
    expect(given.stripe_user_id).to.equal(setup.account);
    await eventually(async () => (await call(token)).error['code'] === 'token_revoked');
  });

  it('is not given up by somebody who knows only the id of a public platform (O16; RFC 6749, 2.3)', async () => {
    const platform = await setup.newPlatform({ type: 'public' });
    const { verifier, challenge } = pkce();
    const code = await setup.approve({ platform, codeChallenge: challenge });
    const id = { client_id: platform.id };
    const exchanged = await postAnonymously('token', {
      ...id,
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
    });
    const token = String(exchanged.json['access_token']);
    expect((await call(token)).status).to.equal(200);
    for (const account of [setup.account, `acct_${'0'.repeat(26)}`]) {
      const { status, json } = await postAnonymously('deauthorize', {
        ...id,
        stripe_user_id: account,
      });
      expect([status, json['error']]).to.deep.equal([401, 'invalid_client']);
      expect(json['error_description']).to.include('/oauth/revoke');
    }
    expect((await call(token)).status).to.equal(200);
    const refresh = String(exchanged.json['refresh_token']);
    expect((await postAnonymously('revoke', { ...id, token: refresh })).status).to.equal(200);
    await eventually(async () => (await call(token)).error['code'] === 'token_revoked');
  });

  it('has idempotency keys of its own, beside those of the merchant and of other platforms (O17)', async () => {
    const other = await setup.newPlatform();
    const headers = { 'idempotency-key': 'order-17' };
    const callers = [
      await tokenOf(),
      await tokenOf(),
      await tokenOf({ platform: other }),
      setup.secretKey,
    ];
    const made = [];
    for (const key of callers) made.push(await charge(key, headers));
    expect(made.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
    expect(new Set(made.map(({ json }) => json['id'])).size).to.equal(4);
    for (const [index, key] of callers.entries()) {
      const again = await charge(key, headers);
      expect(again.headers['idempotent-replayed']).to.equal('true');
      expect(again.text).to.equal(made[index]?.text);
    }
    const [token] = callers;
    const otherBody = await postForm(`${setup.url}/v1/charges`, 'amount=1&currency=eur', {
      key: String(token),
      headers,
    });
    expect(otherBody.error['code']).to.equal('idempotency_key_mismatch');
  });

  it('executes no request again that a process of an earlier version executed, and the reverse', async () => {
    const token = await tokenOf();
    const headers = { 'idempotency-key': 'order-18' };
    const first = await charge(token, headers);
    const [row] = await query<{ fingerprint: string }>(
      setup.databaseUrl,
      "SELECT fingerprint FROM paymount.idempotency_keys WHERE key LIKE 'order-18%'",
    );
    // As the earlier version stores the key of a request that it gets now.
    const claimed = await query(
      setup.databaseUrl,
      `INSERT INTO paymount.idempotency_keys
        (account_id, livemode, key, fingerprint, request_id, created, locked_until)
        VALUES ($1, false, 'order-18', $2, 'req_1', now(), now()) ON CONFLICT DO NOTHING RETURNING key`,
      [setup.account, row?.fingerprint],
    );
    expect(claimed).to.deep.equal([]);
    await query(
      setup.databaseUrl,
      `UPDATE paymount.idempotency_keys SET key = 'order-18', credential = NULL
        WHERE key LIKE 'order-18%'`,
    );
    const again = await charge(token, headers);
    expect(again.headers['idempotent-replayed']).to.equal('true');
    expect(again.json['id']).to.equal(first.json['id']);
  });

  it('executes a request once that processes of both versions get at the same time', async () => {
    const token = await tokenOf();
    const headers = { 'idempotency-key': 'order-19' };
    const first = await charge(token, headers);
    const earlier = new pg.Client({ connectionString: setup.databaseUrl });
    await earlier.connect();
    try {
      await earlier.query('BEGIN');
      // As the earlier version claims the key, in a transaction that is not committed yet.
      await earlier.query(
        `WITH newer AS (DELETE FROM paymount.idempotency_keys WHERE key LIKE 'order-19%'
            RETURNING account_id, livemode, fingerprint)
          INSERT INTO paymount.idempotency_keys
            (account_id, livemode, key, fingerprint, request_id, created, locked_until)
          SELECT account_id, livemode, 'order-20', fingerprint, 'req_1', now(), now() FROM newer`,
      );
      const again = charge(token, { 'idempotency-key': 'order-20' });
      await eventually(() => isWaiting(setup.databaseUrl));
      await earlier.query('COMMIT');
      expect((await again).error['code']).to.equal('idempotency_key_in_use');
      const charges = await call(token, '/v1/charges?limit=1');
      expect(charges.json['data']).to.have.nested.property('0.id', first.json['id']);
    } finally {
      await earlier.end();
    }
  });

  it('leaves an entry in the audit log for the approval and for its end, with the platform', async () => {
    const { id } = await setup.paymount.accounts.create({
      name: 'Audited shop',
      country: 'DE',
      default_currency: 'eur',
    });
    const pair = await setup.connect({ account: id });
    await setup.post('revoke', { token: String(pair['refresh_token']) });
    const entries = await query(
      setup.databaseUrl,
      `SELECT action, actor_type, actor_id, after->>'platform' AS platform FROM paymount.audit_log
        WHERE account_id = '${id}' AND action LIKE 'grant.%' ORDER BY seq`,
    );
    const platform = setup.platform.id;
    expect(entries).to.deep.equal([
      { action: 'grant.create', actor_type: 'user', actor_id: 'user-1', platform },
      { action: 'grant.revoke', actor_type: 'platform', actor_id: platform, platform },
    ]);
  });
});
