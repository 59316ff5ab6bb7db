import { expect } from 'chai';
import { type AdminFacts, hostSessionAdmin } from 'paymount';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import type { Reply } from '../support/ask.ts';

/** The host's own sessions, by the value of its cookie. */
const SESSIONS: Readonly<Record<string, AdminFacts | null>> = {
  ada: { id: 'ada', displayName: 'Ada L.', roles: ['admin'] },
  gone: null,
  broken: { id: 'a\nb', roles: ['admin'] },
};
const CSRF = { 'paymount-csrf': '1' };

describe('An admin who is authenticated by the session of the host', () => {
  let app: AdminApp;
  before(async () => {
    app = await startAdminApp({
      authenticate: () =>
        hostSessionAdmin(async ({ headers }) => SESSIONS[headers.cookie?.split('=')[1] ?? '']),
    });
  });
  after(() => app.close());

  const read = (cookie: string, headers: Record<string, string> = {}): Promise<Reply> =>
    app.admin('/me', { token: '', headers: { cookie: `session=${cookie}`, ...headers } });

  const write = (headers: Record<string, string>): Promise<Reply> =>
    app.admin('/accounts', {
      token: '',
      headers: { cookie: 'session=ada', ...headers },
      body: { name: 'Written', country: 'DE', default_currency: 'eur' },
    });

  it('is who the host says, in both environments and all accounts unless it says less', async () => {
    const { status, json } = await read('ada');
    expect(status).to.equal(200);
    expect(json).to.deep.include({
      id: 'ada',
      display_name: 'Ada L.',
      roles: ['admin'],
      accounts: 'all',
      environments: ['live', 'test'],
      auth_time: null,
      via: 'session',
    });
  });

  it('is not authenticated without a session of the host', async () => {
    for (const cookie of ['gone', 'unknown', '']) {
      const { status, error, headers } = await read(cookie);
      expect([status, error['code']]).to.deep.equal([401, 'admin_unauthenticated']);
      expect(headers['www-authenticate']).to.equal('Bearer realm="paymount"');
    }
  });

  it('is a failure of the host when it gives something else', async () => {
    const { status, error } = await read('broken');
    expect([status, error['code']]).to.deep.equal([500, 'internal_error']);
  });

  it('may read without more, and from any page', async () => {
    expect((await read('ada', { origin: 'https://evil.test' })).status).to.equal(200);
  });

  it('may write with the header that other sites cannot send', async () => {
    expect((await write(CSRF)).status).to.equal(200);
    const own = { ...CSRF, origin: app.url, 'sec-fetch-site': 'same-origin' };
    expect((await write(own)).status).to.equal(200);
    const refused = await write({});
    expect([refused.status, refused.error['code']]).to.deep.equal([403, 'permission_denied']);
    expect(refused.error['message']).to.equal('Send the header Paymount-Csrf: 1 with a write.');
    expect((await write({ 'paymount-csrf': '' })).status).to.equal(403);
  });

  it('may not write from the page of another origin, whatever headers came along', async () => {
    const foreign: readonly [headers: Record<string, string>, page: string][] = [
      [{ origin: 'https://evil.test' }, 'https://evil.test'],
      [{ origin: 'https://ada:pass@evil.test/admin' }, 'https://evil.test'],
      [{ origin: `https://${'a'.repeat(200)}.test` }, `https://${'a'.repeat(92)}...`],
      [{ origin: 'null' }, 'an origin that has no name'],
      [{ origin: `${app.url}.evil.test` }, 'an origin that has no name'],
      [{ origin: `http://127.0.0.1:${app.port + 1}` }, `http://127.0.0.1:${app.port + 1}`],
      [{ 'sec-fetch-site': 'cross-site' }, 'another site (Sec-Fetch-Site: cross-site)'],
      [{ 'sec-fetch-site': 'same-site' }, 'another site (Sec-Fetch-Site: same-site)'],
      [{ 'sec-fetch-site': 'none' }, 'another site (Sec-Fetch-Site: none)'],
      [{ origin: app.url, 'sec-fetch-site': 'cross-site' }, app.url],
    ];
    for (const [headers, page] of foreign) {
      const { status, error } = await write({ ...CSRF, ...headers });
      expect([status, error['code']], JSON.stringify(headers)).to.deep.equal([
        403,
        'permission_denied',
      ]);
      expect(error['message'], JSON.stringify(headers)).to.equal(
        `The page of ${page} may not write here. The option \`origins\` of the router lists the origins that may; the default is the origin to which the request is sent.`,
      );
    }
  });

  it('wrote nothing when refused', async () => {
    const names = (await app.admin('/accounts', { token: '', headers: { cookie: 'session=ada' } }))
      .json['data'] as { name: string }[];
    expect(names.filter(({ name }) => name === 'Written')).to.have.lengthOf(2);
  });
});
