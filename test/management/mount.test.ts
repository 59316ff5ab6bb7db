import { newId } from '@paymount/core/kernel';
import { expect } from 'chai';
import express from 'express';
import type { Logger } from 'paymount';
import { hostSessionAdmin, jwtAdmin, mtlsAdmin } from 'paymount';
import { type AdminApp, MOUNT, startAdminApp } from '../support/admin-app.ts';
import { startApp } from '../support/app.ts';
import { ask, JSON_TYPE, postForm, type Reply } from '../support/ask.ts';
import { SILENT } from '../support/host.ts';
import { AUDIENCE, startIssuer } from '../support/issuer.ts';
import { documentOf } from './management-document.ts';

const SHOP = { name: 'Shop', country: 'DE', default_currency: 'eur' };

describe('The mount of the management API', () => {
  const lines: Record<string, unknown>[] = [];
  const logger: Logger = {
    ...SILENT,
    info: (facts) => void lines.push({ ...facts }),
  };
  let app: AdminApp;
  before(async () => {
    app = await startAdminApp({ paymount: { logger, rateLimit: {} } });
  });
  after(() => app.close());

  it('throws without an authenticator', async () => {
    for (const authenticate of [undefined, null, 'jwt', {}]) {
      expect(() =>
        // @ts-expect-error it is no authenticator; JavaScript would not notice
        app.paymount.managementRouter({ authenticate }),
      ).to.throw(TypeError, 'pass `authenticate`');
    }
    // @ts-expect-error nothing at all
    expect(() => app.paymount.managementRouter()).to.throw(TypeError, 'pass `authenticate`');
  });

  it('throws for an authenticator without options', () => {
    // @ts-expect-error nothing at all
    expect(() => jwtAdmin()).to.throw(TypeError, 'pass { issuer, audience, jwksUri }');
    // @ts-expect-error nothing at all
    expect(() => hostSessionAdmin()).to.throw(TypeError, 'takes a function that returns who');
    // @ts-expect-error nothing at all
    expect(() => mtlsAdmin()).to.throw(TypeError, 'takes an object of options, such as `{ san }`');
  });

  it('throws for a misspelled limit on admins, which would not apply', async () => {
    const issuer = { issuer: 'https://login.test', audience: AUDIENCE, jwks: { keys: [] } };
    const misspelled = { ...issuer, accountClaim: 'shops' };
    expect(() => jwtAdmin(misspelled)).to.throw(
      TypeError,
      'jwtAdmin() has no option `accountClaim`; did you mean `accountsClaim`?',
    );
    const ops = { id: 'ops', roles: ['admin'], account: [] };
    expect(() => mtlsAdmin({ san: { 'DNS:ops.test': ops } })).to.throw(
      TypeError,
      'An admin has no option `account`; did you mean `accounts`?',
    );
    const own = await startAdminApp({ authenticate: () => hostSessionAdmin(() => ops) });
    const { status, error } = await own.admin('/me');
    expect([status, error['code']]).to.deep.equal([500, 'internal_error']);
    await own.close();
  });

  it('answers whatever is asked below its path, and what it does not know with 404', async () => {
    const slash = 'Without the slash at its end it is';
    for (const [path, named] of [
      ['', '/.'],
      ['/', '/.'],
      ['/unknown', '/unknown.'],
      ['/keys/', `/keys/. ${slash} /keys.`],
      [`/keys/${newId('key')}/revoke/`, `/keys/.../revoke/. ${slash} /keys/:id/revoke.`],
      ['/Keys', '/Keys.'],
      ['/keys/a/b/c', '/keys/a/b/c.'],
      ['/..%2fkeys', '/....'],
    ] as const) {
      const { status, error, headers } = await app.admin(path);
      expect([status, error['code'], error['message']], path).to.deep.equal([
        404,
        'route_missing',
        `There is no route ${named}`,
      ]);
      expect(headers['content-type']).to.equal('application/json; charset=utf-8');
    }
    const put = await app.admin('/keys', { method: 'PUT' });
    expect([put.status, put.error['code']]).to.deep.equal([405, 'method_not_allowed']);
    expect(put.headers['allow']).to.equal('GET, POST, HEAD');
  });

  it('returns a request id and `no-store` with each response', async () => {
    const { headers } = await app.admin('/me');
    expect(headers['request-id']).to.match(/^req_[0-9a-z]{26}$/);
    expect(headers['cache-control']).to.equal('no-store');
    const head = await app.admin('/me', { method: 'HEAD' });
    expect([head.status, head.text]).to.deep.equal([200, '']);
  });

  it('logs one line for each request: who asked for which route', async () => {
    lines.length = 0;
    const { headers } = await app.admin(`/accounts/${app.account}`);
    await app.admin('/me', { token: '' });
    const [first, second] = lines;
    expect(lines).to.have.lengthOf(2);
    expect(first).to.include({
      request_id: headers['request-id'],
      method: 'GET',
      route: '/accounts/:id',
      status: 200,
      admin: 'ada@shop.test',
    });
    expect(first?.['duration_ms']).to.be.a('number');
    expect(second).to.include({ route: '/me', status: 401, admin: undefined });
  });

  it('limits each admin, to 20 requests a second by default', async () => {
    const { headers } = await app.admin('/me', { token: await app.token(['viewer']) });
    expect(headers['ratelimit-policy']).to.equal('"admin";q=20;w=1');
    const admin = { requests: 1, seconds: 3_600, burst: 2 };
    const own = await startAdminApp({ paymount: { rateLimit: { admin } } });
    const askStatus = async (sub: string): Promise<number> =>
      (await own.admin('/me', { token: await own.token(['viewer'], { sub }) })).status;
    expect([await askStatus('ada'), await askStatus('ada'), await askStatus('ada')]).to.deep.equal([
      200, 200, 429,
    ]);
    const refused = await own.admin('/me', { token: await own.token(['viewer'], { sub: 'ada' }) });
    expect(refused.error['code']).to.equal('rate_limit');
    expect(Number(refused.headers['retry-after'])).to.be.within(3_590, 3_600);
    expect(await askStatus('eve')).to.equal(200);
    await own.close();
  });

  it('does not authenticate requests from an address with 20 failed logins within a minute', async () => {
    const own = await startAdminApp({
      paymount: { rateLimit: {}, trustedProxies: ['127.0.0.1'] },
    });
    const from = (address: string, token: string): Promise<Reply> =>
      own.admin('/me', {
        token,
        headers: { 'x-forwarded-for': address, 'x-forwarded-proto': 'https' },
      });
    const good = await own.token(['viewer']);
    const forged = await own.token(['admin'], { iss: 'https://somebody.test' });
    const at = (address: string, tokens: readonly string[]): Promise<Reply[]> =>
      Promise.all(tokens.map((token) => from(address, token)));
    const found = await at('192.0.2.1', Array<string>(30).fill(forged));
    expect(found.filter(({ status }) => status === 401)).to.have.lengthOf(20);
    expect(found.filter(({ status }) => status === 429)).to.have.lengthOf(10);
    const refused = await from('192.0.2.1', good);
    expect([refused.status, refused.headers['ratelimit-policy']]).to.deep.equal([
      429,
      '"credentials";q=20;w=60',
    ]);
    expect(refused.error['message']).to.include('with bad credentials from this address');
    expect((await from('192.0.2.2', good)).status).to.equal(200);
    // Nor does it keep the shop's servers from looking up keys there.
    const key = await ask(`${own.url}/v1/balance`, {
      key: own.secretKey,
      headers: { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'https' },
    });
    expect(key.status).to.equal(200);
    own.clock.advance(3_000);
    expect((await from('192.0.2.1', good)).status).to.equal(200);
    await own.close();
  });

  it('reads forms and JSON, whatever parsers of the host ran before it', async () => {
    const issuer = await startIssuer();
    const authenticate = jwtAdmin({
      issuer: issuer.issuer,
      audience: AUDIENCE,
      jwksUri: issuer.jwksUri,
    });
    const host = await startApp({
      mount(own, paymount) {
        own.use(express.json(), express.urlencoded({ extended: true }));
        own.use('/admin', paymount.managementRouter({ authenticate }));
      },
    });
    const seconds = Math.floor(Date.now() / 1_000);
    const token = await issuer.sign({
      iss: issuer.issuer,
      aud: AUDIENCE,
      sub: 'ada',
      iat: seconds,
      exp: seconds + 60,
      roles: ['admin'],
    });
    const url = `${host.url}/admin/accounts`;
    const json = await ask(url, { key: token, headers: JSON_TYPE, body: JSON.stringify(SHOP) });
    expect(json.status, json.text).to.equal(200);
    const form = new URLSearchParams(SHOP).toString();
    expect((await postForm(url, form, { key: token })).status).to.equal(200);
    const broken = await ask(url, { key: token, headers: JSON_TYPE, body: '{"name":' });
    expect([broken.status, broken.error['code']]).to.deep.equal([400, 'invalid_json']);
    const unknown = await ask(url, {
      key: token,
      headers: JSON_TYPE,
      body: JSON.stringify({ ...SHOP, id: 'acct_1', status: 'suspended' }),
    });
    expect(unknown.error['code']).to.equal('parameter_unknown');
    await host.close();
    await issuer.close();
  });

  it('takes no card numbers, in whatever field', async () => {
    const digits = ['4242', '4242', '4242', '4242'].join(' ');
    const { status, error, text } = await app.admin('/accounts', {
      body: { ...SHOP, name: `Card ${digits}` },
    });
    expect([status, error['code']]).to.deep.equal([400, 'raw_card_data_not_allowed']);
    expect(text).not.to.include(digits);
  });

  it('refuses what came in the clear, before it looks at the login', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    const { status, error } = await app.admin('/me', { token: '', headers });
    expect([status, error['code']]).to.deep.equal([403, 'tls_required']);
  });

  it('answers 503 once the service closes', async () => {
    const own = await startAdminApp();
    await own.paymount.close();
    const { status, error } = await own.admin('/me');
    expect([status, error['code']]).to.deep.equal([503, 'unavailable']);
    await own.close();
  });

  it('publishes its document without a login: OpenAPI 3.1, whole and consistent', async () => {
    const { status, json } = await ask(`${app.url}${MOUNT}/openapi.json`, { key: '' });
    expect([status, json['openapi']]).to.deep.equal([200, '3.1.0']);
    const text = JSON.stringify(json);
    for (const [, path = ''] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const found = path.split('/').reduce<unknown>((node, name) => (node as never)?.[name], json);
      expect(found, path).to.be.an('object');
    }
    const { paths } = await documentOf(app.url);
    const ids = Object.values(paths).flatMap((item) =>
      Object.values(item).map((operation) => (operation as { operationId?: string }).operationId),
    );
    expect(new Set(ids).size).to.equal(ids.length);
    expect(ids).to.include.members(['retrieveKeyUsage', 'revokeKey', 'deleteWebhookEndpoint']);
  });
});
