import { expect } from 'chai';
import { UNREAD_BODIES } from '../support/broken-bodies.ts';
import { tableContents } from '../support/table-contents.ts';
import { type DashboardSetup, startDashboardSetup } from './dashboard-setup.ts';

/** A path below the mount, in which nothing could begin another header or host. */
const LOGIN = /^\/login\?returnTo=%2Fshop%2Fdashboard%2F[\w%.:+-]*$/;
const PAGES = ['/', '/login', '/acct_1/test/keys', '/no/such/page'];
const PROGRAMS = ['/api/session', '/api/openapi.json', '/api/no_such', '/assets/no_such.js'];
const ODD = {
  // The application shows them itself.
  200: ['/%00', '/%ff', '/%', '/__proto__', '/x'.repeat(3_000), '/?a=%ff&a[b]=1&__proto__=x'],
  // A login leads back to them.
  303: [
    '/login?to=%00',
    '/login?to=%ff',
    '/login?to=%zz',
    '/login?to[a]=x',
    '/login?to=//[',
    '/login?to=%0d%0aSet-Cookie:a=b',
    `/login?to=${'a'.repeat(9_000)}`,
  ],
  404: [
    '/api/',
    '/api/%ff',
    '/api/%00',
    '/api/__proto__/test/keys',
    '/api/{account}',
    '/api/{account}/test',
    '/api/{account}/test/',
    '/api/{account}%00/test/keys',
    '/api/{account}/prod/keys',
    '/api/{account}/__proto__/keys',
    '/api/{account}/test/%6beys',
    '/api/{account}/test//keys',
    `/api/acct_${'z'.repeat(26)}/test/keys`,
    `/api/acct_${'0'.repeat(26)}/live/keys`,
    '/assets/%00',
    '/assets/%ff',
    '/assets/__proto__',
    '/assets/..%2f..%2fpackage.json',
  ],
};

/** Its pages, its session and its files: what is in no table of routes, and takes nothing but GET. */
describe('bad input to another address of the dashboard', () => {
  let setup: DashboardSetup;
  let cookie: string;

  before(async () => {
    setup = await startDashboardSetup();
    cookie = setup.logIn('owner');
  });
  after(() => setup.close());

  it('is refused: any body', async () => {
    const before = await tableContents(setup.databaseUrl);
    for (const path of [...PAGES, ...PROGRAMS]) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        for (const { what, headers, body } of UNREAD_BODIES) {
          const sent = { cookie, 'paymount-csrf': '1', ...headers };
          const reply = await setup.open(path, { method, headers: sent, body });
          const isPage = PAGES.includes(path);
          const type = isPage ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8';
          const found = [reply.status, reply.headers['content-type'], reply.headers['allow']];
          expect(found, `${method} ${path}: ${what}`).to.deep.equal([405, type, 'GET']);
        }
      }
    }
    expect(await tableContents(setup.databaseUrl)).to.deep.equal(before);
  });

  for (const [status, paths] of Object.entries(ODD)) {
    it(`is answered ${status}: odd texts in an address`, async () => {
      for (const path of paths) {
        const at = path.replace('{account}', setup.account);
        const reply = await setup.open(at, { headers: { cookie } });
        expect(String(reply.status), at).to.equal(status);
        if (status === '303') expect(reply.headers.location, at).to.match(LOGIN);
        if (status !== '404') continue;
        expect(reply.error['code'], at).to.match(/^(?:route|resource)_missing$/);
      }
    });
  }
});
