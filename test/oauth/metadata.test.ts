import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, type Reply } from '../support/ask.ts';
import { fakeLogin } from '../support/fake-login.ts';

const LIVE = 'https://pay.example.com/payments';
const TEST = 'https://pay.example.com/sandbox/payments';
const WELL_KNOWN = '/.well-known/oauth-authorization-server';

describe('The metadata of the authorization server', () => {
  let app: TestApp;

  before(async () => {
    app = await startApp({
      mount(host, paymount) {
        const { identity } = fakeLogin();
        const oauth = { environment: 'test', issuer: TEST, identity, requireTls: false } as const;
        host.use(paymount.wellKnownRouter({ issuers: { live: LIVE, test: TEST } }));
        host.use('/sandbox/payments', paymount.oauthRouter(oauth));
        host.use(paymount.router({ environment: 'test', requireTls: false }));
      },
    });
  });
  after(() => app.close());

  const get = (path: string, method = 'GET'): Promise<Reply> =>
    ask(app.url + path, { key: '', method });

  it('says what is built, in both forms of its address (RFC 8414, 2 and 3.1)', async () => {
    for (const path of [`/sandbox/payments${WELL_KNOWN}`, `${WELL_KNOWN}/sandbox/payments`]) {
      const reply = await get(path);
      expect(reply.status, reply.text).to.equal(200);
      expect(reply.headers['content-type']).to.equal('application/json; charset=utf-8');
      expect(reply.headers['cache-control']).to.equal('public, max-age=3600');
      expect(reply.headers).not.to.have.any.keys('pragma', 'access-control-allow-origin');
      expect(reply.json).to.deep.equal({
        issuer: TEST,
        authorization_endpoint: `${TEST}/oauth/authorize`,
        token_endpoint: `${TEST}/oauth/token`,
        revocation_endpoint: `${TEST}/oauth/revoke`,
        introspection_endpoint: `${TEST}/oauth/introspect`,
        scopes_supported: [
          'charges:read',
          'charges:write',
          'customers:read',
          'customers:write',
          'subscriptions:write',
          'payouts:read',
          'disputes:write',
          'webhooks:write',
        ],
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_methods_supported: [
          'client_secret_basic',
          'client_secret_post',
          'none',
        ],
        revocation_endpoint_auth_methods_supported: [
          'client_secret_basic',
          'client_secret_post',
          'none',
        ],
        introspection_endpoint_auth_methods_supported: [
          'client_secret_basic',
          'client_secret_post',
        ],
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
      });
    }
  });

  it('names each environment by its own issuer', async () => {
    const reply = await get(`${WELL_KNOWN}/payments`);
    expect([reply.json['issuer'], reply.json['token_endpoint']]).to.deep.equal([
      LIVE,
      `${LIVE}/oauth/token`,
    ]);
  });

  it('takes GET and HEAD only, and leaves other paths to the host', async () => {
    for (const path of [`/sandbox/payments${WELL_KNOWN}`, `${WELL_KNOWN}/payments`]) {
      expect((await get(path, 'POST')).status).to.equal(405);
      const head = await get(path, 'HEAD');
      expect([head.status, head.text]).to.deep.equal([200, '']);
    }
    for (const path of [WELL_KNOWN, `${WELL_KNOWN}/other`, `${WELL_KNOWN}/payments/`]) {
      // The host's own page: not in our form.
      const { status, headers } = await fetch(app.url + path);
      expect([status, headers.get('content-type')]).to.deep.equal([
        404,
        'text/html; charset=utf-8',
      ]);
    }
  });

  it('does not start without an issuer, or with one that clients cannot compare', () => {
    const mount = (issuers: Record<string, string>) => () =>
      app.paymount.wellKnownRouter({ issuers });
    expect(mount({})).to.throw('`issuers` of wellKnownRouter() names no issuer.');
    for (const issuer of ['https://a.example.com/', 'https://a.example.com/b?c', 'http://a.test']) {
      expect(mount({ live: issuer })).to.throw('`issuer` is the public URL of the mount');
    }
  });
});
