import { expect } from 'chai';
import type { Platform } from 'paymount';
import { ask, postForm, type Reply } from '../support/ask.ts';
import { query } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { type OAuthSetup, pkce, REDIRECT_URI, startOAuthSetup } from '../support/oauth-setup.ts';

const summary = ({ status, json }: Reply): unknown[] => [status, json['error']];
const INVALID_GRANT = [400, 'invalid_grant'];

describe('/oauth/token', () => {
  let setup: OAuthSetup;

  before(async () => {
    setup = await startOAuthSetup();
  });
  after(() => setup.close());

  const exchange = (code: string, more: Record<string, string> = {}): Promise<Reply> =>
    setup.post('token', { grant_type: 'authorization_code', code, ...more });
  const refresh = (token: unknown, more: Record<string, string> = {}): Promise<Reply> =>
    setup.post('token', { grant_type: 'refresh_token', refresh_token: String(token), ...more });
  const call = (token: unknown, path = '/v1/charges'): Promise<Reply> =>
    ask(setup.url + path, { key: String(token) });
  const clientOf = (platform: Platform) => ({
    client_id: platform.id,
    client_secret: platform.client_secret ?? '',
  });

  it('exchanges a code for tokens, in exactly this form (specification: OAuth token response)', async () => {
    const reply = await exchange(await setup.approve());
    expect(reply.status, reply.text).to.equal(200);
    const { access_token: access, refresh_token: refreshToken } = reply.json;
    expect(access).to.match(/^oat_pm[0-9A-Za-z]{38}$/);
    expect(refreshToken).to.match(/^ort_pm[0-9A-Za-z]{38}$/);
    expect(reply.json).to.deep.equal({
      access_token: access,
      token_type: 'bearer',
      expires_in: 3_600,
      refresh_token: refreshToken,
      refresh_token_expires_in: 90 * 86_400,
      scope: 'charges:read charges:write',
      merchant_id: setup.account,
      livemode: false,
    });
    expect(reply.headers).to.deep.include({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      pragma: 'no-cache',
      'referrer-policy': 'no-referrer',
    });
    const rows = await query(
      setup.databaseUrl,
      'SELECT * FROM paymount.access_tokens, paymount.refresh_tokens, paymount.authorization_codes',
    );
    expect(JSON.stringify(rows)).not.to.match(/o[ar][tc]_pm/);
  });

  it('authenticates a platform by Basic too, form-encoded or not (RFC 6749, 2.3.1)', async () => {
    const { client_id: id, client_secret: secret } = clientOf(setup.platform);
    const encoded = `${id.replace('_', '%5F')}:${secret.replace('_', '%5F')}`;
    for (const pair of [`${id}:${secret}`, encoded]) {
      const authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
      const form = { grant_type: 'authorization_code', code: await setup.approve() };
      const reply = await ask(`${setup.url}/oauth/token`, {
        key: '',
        headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(form).toString(),
      });
      expect(reply.status, reply.text).to.equal(200);
    }
  });

  it('refuses two Authorization headers, alike or not, as the API does', async () => {
    const { client_id: id, client_secret: secret } = clientOf(setup.platform);
    const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
    const form = new URLSearchParams({ grant_type: 'authorization_code', code: 'x' }).toString();
    for (const endpoint of ['token', 'revoke', 'introspect', 'deauthorize']) {
      for (const second of [basic, 'Bearer x']) {
        const headers = { authorization: [basic, second] };
        const reply = await postForm(`${setup.url}/oauth/${endpoint}`, form, { key: '', headers });
        expect(summary(reply), reply.text).to.deep.equal([400, 'invalid_request']);
        expect(reply.json['error_description']).to.include('Authorization');
      }
    }
  });

  it('refuses an unknown, disabled or wrongly authenticated platform alike (O12; RFC 6749, 5.2)', async () => {
    const disabled = await setup.newPlatform();
    await setup.paymount.platforms.disable(disabled.id);
    const app = await setup.newPlatform({ type: 'public' });
    const other = await setup.newPlatform();
    const bodies: unknown[] = [];
    for (const client of [
      { client_id: `ca_${'0'.repeat(26)}` },
      { client_secret: '' },
      { client_secret: `${setup.platform.client_secret}x` },
      { client_secret: String(other.client_secret) },
      clientOf(disabled),
      { ...clientOf(other), client_id: app.id },
    ]) {
      const reply = await exchange(await setup.approve(), client);
      expect(summary(reply)).to.deep.equal([401, 'invalid_client']);
      expect(reply.headers).not.to.have.property('www-authenticate');
      bodies.push(reply.json);
    }
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).to.equal(1);
    const basic = await setup.post(
      'token',
      { client_id: '', client_secret: '', grant_type: 'authorization_code' },
      { headers: { authorization: `Basic ${Buffer.from('ca_x:y').toString('base64')}` } },
    );
    expect(summary(basic)).to.deep.equal([401, 'invalid_client']);
    expect(basic.headers['www-authenticate']).to.equal('Basic realm="paymount"');
  });

  it('refuses a secret in the query, two ways at once, and a parameter that is sent twice (O12; RFC 6749, 2.3.1, 3.2)', async () => {
    const { client_id: id, client_secret: secret } = clientOf(setup.platform);
    const inQuery = await setup.post(`token?client_secret=${secret}`, {});
    expect(summary(inQuery)).to.deep.equal([400, 'invalid_request']);
    expect(inQuery.text).not.to.include(secret);
    const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
    const twice = await setup.post('token', {}, { headers: { authorization: basic } });
    expect(summary(twice)).to.deep.equal([400, 'invalid_request']);
    const repeated = await ask(`${setup.url}/oauth/token`, {
      key: '',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `client_id=${id}&client_secret=${secret}&grant_type=refresh_token&grant_type=refresh_token`,
    });
    expect(repeated.json).to.deep.equal({
      error: 'invalid_request',
      error_description: 'grant_type was sent more than once.',
    });
    expect(summary(await setup.post('token', {}))).to.deep.equal([400, 'invalid_request']);
    const type = await setup.post('token', { grant_type: 'password' });
    expect(summary(type)).to.deep.equal([400, 'unsupported_grant_type']);
  });

  it('takes a code once: the second time it revokes the grant (O02; RFC 6749, 4.1.2)', async () => {
    const code = await setup.approve();
    const { json } = await exchange(code);
    expect((await call(json['access_token'])).status).to.equal(200);
    expect(summary(await exchange(code))).to.deep.equal(INVALID_GRANT);
    const refusal = async () => (await call(json['access_token'])).error['code'];
    // On a busy machine the first refusal is a 503: an unread revocation never lets a token in.
    expect(await eventually(refusal, (seen) => seen !== undefined, 500)).to.be.a('string');
    await eventually(refusal, (seen) => seen === 'token_revoked');
    expect(summary(await refresh(json['refresh_token']))).to.deep.equal(INVALID_GRANT);
  });

  it('ends no grant for a used code without its verifier (O16; RFC 7636, 4.6)', async () => {
    const platform = await setup.newPlatform({ type: 'public' });
    const { verifier, challenge } = pkce();
    const code = await setup.approve({ platform, codeChallenge: challenge });
    const send = (more: Record<string, string>): Promise<Reply> => {
      const form = { client_id: platform.id, grant_type: 'authorization_code', code, ...more };
      const body = new URLSearchParams(form).toString();
      return postForm(`${setup.url}/oauth/token`, body, { key: '' });
    };
    const { json } = await send({ code_verifier: verifier });
    for (const more of [{}, { code_verifier: pkce().verifier }]) {
      expect(summary(await send(more))).to.deep.equal(INVALID_GRANT);
    }
    expect((await call(json['access_token'])).status).to.equal(200);
    expect(summary(await send({ code_verifier: verifier }))).to.deep.equal(INVALID_GRANT);
    const refusal = async () => (await call(json['access_token'])).error['code'];
    await eventually(refusal, (seen) => seen === 'token_revoked');
  });

  it('gives tokens to exactly one of fifty exchanges of one code (O03; RFC 6749, 4.1.2)', async () => {
    const code = await setup.approve();
    const replies = await Promise.all(Array.from({ length: 50 }, () => exchange(code)));
    const statuses = replies.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).to.have.lengthOf(1);
    expect(statuses.filter((status) => status === 400)).to.have.lengthOf(49);
  });

  it('refuses a foreign, an expired and an unknown code, and uses up none of them (O04; RFC 6749, 4.1.3)', async () => {
    const code = await setup.approve();
    const other = await setup.newPlatform();
    expect(summary(await exchange(code, clientOf(other)))).to.deep.equal(INVALID_GRANT);
    expect(summary(await exchange(`${code}x`))).to.deep.equal(INVALID_GRANT);
    expect(summary(await exchange('oac_unknown'))).to.deep.equal(INVALID_GRANT);
    setup.clock.advance(59_000);
    expect((await exchange(code)).status).to.equal(200);
    const late = await setup.approve();
    setup.clock.advance(60_000);
    expect(summary(await exchange(late))).to.deep.equal(INVALID_GRANT);
  });

  it('compares the redirect URI with that of the request (O04; RFC 6749, 4.1.3)', async () => {
    const code = await setup.approve({ redirectUri: REDIRECT_URI });
    expect(summary(await exchange(code))).to.deep.equal(INVALID_GRANT);
    const wrong = await exchange(code, { redirect_uri: `${REDIRECT_URI}/` });
    expect(summary(wrong)).to.deep.equal(INVALID_GRANT);
    expect((await exchange(code, { redirect_uri: REDIRECT_URI })).status).to.equal(200);
    const absent = await setup.approve();
    const foreign = await exchange(absent, { redirect_uri: 'https://evil.example.com/' });
    expect(summary(foreign)).to.deep.equal(INVALID_GRANT);
    expect((await exchange(absent, { redirect_uri: REDIRECT_URI })).status).to.equal(200);
  });

  it('requires the verifier of a challenge, and refuses one without a challenge (O05; RFC 7636)', async () => {
    const { verifier, challenge } = pkce();
    const code = await setup.approve({ codeChallenge: challenge });
    expect(summary(await exchange(code))).to.deep.equal(INVALID_GRANT);
    const plain = await exchange(code, { code_verifier: challenge });
    expect(summary(plain)).to.deep.equal(INVALID_GRANT);
    expect((await exchange(code, { code_verifier: verifier })).status).to.equal(200);
    const without = await exchange(await setup.approve(), { code_verifier: verifier });
    expect(summary(without)).to.deep.equal(INVALID_GRANT);
    const app = await setup.newPlatform({ type: 'public' });
    const client = { client_id: app.id, client_secret: '' };
    const inApp = await setup.approve({ platform: app, codeChallenge: challenge });
    const reply = await exchange(inApp, { ...client, code_verifier: verifier });
    expect(reply.status, reply.text).to.equal(200);
  });

  it('exchanges a refresh token for a new pair, with the same or fewer scopes (O07; RFC 6749, 6)', async () => {
    const { refresh_token: first } = await setup.connect();
    const second = await refresh(first);
    expect(second.json).to.include({ scope: 'charges:read charges:write', expires_in: 3_600 });
    expect(second.json['refresh_token']).not.to.equal(first);
    const narrower = await refresh(second.json['refresh_token'], { scope: 'charges:read' });
    expect(narrower.json['scope']).to.equal('charges:read');
    const token = narrower.json['refresh_token'];
    const wider = await refresh(token, { scope: 'charges:read payouts:read' });
    expect(summary(wider)).to.deep.equal([400, 'invalid_scope']);
    expect((await refresh(token)).json['scope']).to.equal('charges:read charges:write');
  });

  it('gives eight concurrent refreshes the same pair, and one family (O06; RFC 9700, 4.14.2)', async () => {
    const { refresh_token: token } = await setup.connect();
    const replies = await Promise.all(Array.from({ length: 8 }, () => refresh(token)));
    expect(replies.map(({ status }) => status)).to.deep.equal(Array(8).fill(200));
    expect(new Set(replies.map(({ text }) => text)).size).to.equal(1);
    setup.clock.advance(25_000);
    const again = await refresh(token);
    expect(again.text === replies[0]?.text, 'the same pair within 30 seconds').to.equal(true);
    expect((await call(replies[0]?.json['access_token'])).status).to.equal(200);
  });

  it('revokes the grant if a refresh token comes back after the grace, and writes to both (O06; RFC 9700, 4.14.2)', async () => {
    const account = await setup.paymount.accounts.create({
      name: 'Mailed shop',
      country: 'DE',
      default_currency: 'eur',
      email: 'owner@shop.example.com',
    });
    const { refresh_token: token, access_token: access } = await setup.connect({
      account: account.id,
    });
    const second = (await refresh(token)).json;
    setup.clock.advance(31_000);
    expect(summary(await refresh(token))).to.deep.equal(INVALID_GRANT);
    expect((await call(access)).error['code']).to.equal('token_revoked');
    expect((await call(second['access_token'])).error['code']).to.equal('token_revoked');
    expect(summary(await refresh(second['refresh_token']))).to.deep.equal(INVALID_GRANT);
    const mails = await query(
      setup.databaseUrl,
      `SELECT to_address FROM paymount.mails m JOIN paymount.grants g
        ON m.dedupe_key LIKE 'grant_reuse:' || g.id || ':%'
        WHERE g.account_id = '${account.id}' ORDER BY 1`,
    );
    expect(mails).to.deep.equal([
      { to_address: 'ops@ledger.example.com' },
      { to_address: 'owner@shop.example.com' },
    ]);
  });

  it('revokes the grant if a refresh token comes back after its successor was used (O06; RFC 9700, 4.14.2)', async () => {
    const { refresh_token: first } = await setup.connect();
    const second = (await refresh(first)).json;
    const third = (await refresh(second['refresh_token'])).json;
    expect(summary(await refresh(first))).to.deep.equal(INVALID_GRANT);
    expect((await call(third['access_token'])).error['code']).to.equal('token_revoked');
  });

  it('ends a refresh token that is not used for 90 days, and a grant after a year (O07; RFC 9700, 4.14.2)', async () => {
    const idle = await setup.connect();
    const used = await setup.connect();
    setup.clock.advance(89 * 86_400_000);
    let token = (await refresh(used['refresh_token'])).json['refresh_token'];
    setup.clock.advance(86_400_000);
    expect(summary(await refresh(idle['refresh_token']))).to.deep.equal(INVALID_GRANT);
    for (let days = 90; days < 360; days += 60) {
      const reply = await refresh(token);
      expect(reply.status, `after ${days} days: ${reply.text}`).to.equal(200);
      token = reply.json['refresh_token'];
      setup.clock.advance(60 * 86_400_000);
    }
    const last = await refresh(token);
    expect(last.status).to.equal(400);
  });
});
