import { expect } from 'chai';
import { hostSessionAdmin } from 'paymount';
import pg from 'pg';
import {
  type AccountSetup,
  type AccountSetups,
  openAccountSetups,
} from '../support/account-setup.ts';
import { type AdminApp, MOUNT, startAdminApp } from '../support/admin-app.ts';
import { type Ask, ask, JSON_TYPE, type Reply } from '../support/ask.ts';
import { makeKey } from '../support/credentials.ts';
import type { ManagementRoute } from '../support/route-row.ts';
import { MANAGEMENT_ROUTES } from '../support/route-table.ts';
import { tableContents } from '../support/table-contents.ts';

/** What becomes a program, or another page, wherever it is taken for markup. */
const MARKUP = `"><script>alert(1)</script><img src=x onerror=alert(1)>'</p>`;

/** What a page of another site can make a browser send, with the cookie of whoever looks at it. */
const FOREIGN: Readonly<Record<string, Record<string, string>>> = {
  'a form': { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  'a form of an old browser': {},
  'a form in a sandbox': { origin: 'null' },
  'a script that may send any header': {
    origin: 'https://evil.example',
    'sec-fetch-site': 'cross-site',
    'paymount-csrf': '1',
  },
  'a page of a neighbour under the same domain': {
    origin: 'https://evil.127.0.0.1',
    'sec-fetch-site': 'same-site',
    'paymount-csrf': '1',
  },
  'a page that calls itself by our name and another port': {
    origin: 'http://127.0.0.1:1',
    'paymount-csrf': '1',
  },
};

describe('pages of other sites, in the browser of an admin', function () {
  this.timeout(30_000);
  let app: AdminApp;
  let setups: AccountSetups;
  let setup: AccountSetup;

  before(async () => {
    app = await startAdminApp({
      authenticate: () =>
        hostSessionAdmin(({ headers }) =>
          headers.cookie === 'session=ada' || headers.authorization
            ? { id: 'ada', roles: ['admin'], authTime: app.clock.now() }
            : null,
        ),
    });
    // An admin makes the setup who sends what a page of the host sends.
    const { admin } = app;
    app = { ...app, admin: (path, more) => admin(path, { ...more, headers: OWN }) };
    setups = await openAccountSetups(app);
    setup = await setups.setup(app.account);
  });
  after(async () => {
    await setups.receiver.close();
    await app.close();
  });

  const OWN = { cookie: 'session=ada', 'paymount-csrf': '1', ...JSON_TYPE };

  const pathOf = ({ pattern }: ManagementRoute): string =>
    MOUNT + pattern.replace('{id}', setup.ids[pattern.split('/')[1] ?? ''] ?? '');

  function send(route: ManagementRoute, headers: Ask['headers']): Promise<Reply> {
    const body = route.method === 'POST' ? { body: '{}' } : {};
    const { method } = route;
    const sent = { cookie: 'session=ada', ...JSON_TYPE, ...headers };
    return ask(app.url + pathOf(route), { key: '', method, headers: sent, ...body });
  }

  for (const [what, headers] of Object.entries(FOREIGN)) {
    it(`change nothing by ${what}`, async () => {
      const before = await tableContents(app.databaseUrl);
      const writes = MANAGEMENT_ROUTES.filter(({ method }) => method !== 'GET');
      expect(writes.length).to.be.at.least(15);
      for (const route of writes) {
        const { status, error, text } = await send(route, headers);
        expect([status, error['code']], `${route.name}: ${text}`).to.deep.equal([
          403,
          'permission_denied',
        ]);
      }
      expect(await tableContents(app.databaseUrl)).to.deep.equal(before);
    });
  }

  it('change nothing by what only reads', async () => {
    const before = await tableContents(app.databaseUrl);
    const reads = MANAGEMENT_ROUTES.filter(
      ({ method, name }) => method === 'GET' && !name.endsWith('export'),
    );
    for (const route of reads) {
      const { status } = await send(route, { 'sec-fetch-site': 'cross-site' });
      expect(status, route.name).to.equal(200);
    }
    expect(await tableContents(app.databaseUrl)).to.deep.equal(before);
  });

  it('are allowed by no answer to read it, nor to send more', async () => {
    for (const route of MANAGEMENT_ROUTES) {
      for (const method of ['OPTIONS', route.method === 'GET' ? 'GET' : 'HEAD']) {
        if (route.name.endsWith('export')) continue;
        const headers = {
          cookie: 'session=ada',
          origin: 'https://evil.example',
          'access-control-request-method': route.method,
          'access-control-request-headers': 'paymount-csrf, authorization',
        };
        const reply = await ask(app.url + pathOf(route), { key: '', method, headers });
        const cors = Object.keys(reply.headers).filter((name) => name.startsWith('access-control'));
        expect(cors, `${method} ${route.name}`).to.deep.equal([]);
        if (method === 'OPTIONS') expect(reply.status).to.equal(405);
      }
    }
  });

  it('are shown nothing that a browser takes for a page, whatever was sent', async () => {
    const key = app.secretKey;
    const url = encodeURIComponent(MARKUP);
    const replies = [
      await ask(`${app.url}/v1/charges?${url}=1`, { key }),
      await ask(`${app.url}/v1/charges/${url}`, { key }),
      await ask(`${app.url}/v1/${url}`, { key }),
      await ask(`${app.url}/v1/charges`, { key: MARKUP }),
      await ask(`${app.url}/v1/charges?expand[]=${url}`, { key }),
      await ask(`${app.url}${MOUNT}/${url}`, { key: '', headers: OWN }),
      await ask(`${app.url}${MOUNT}/keys/${url}`, { key: '', headers: OWN }),
      await ask(`${app.url}${MOUNT}/keys?account=${url}`, { key: '', headers: OWN }),
      await ask(`${app.url}${MOUNT}/me`, { key: '', headers: { accept: 'text/html' } }),
      await app.admin('/accounts', {
        body: { name: MARKUP, country: 'DE', default_currency: 'eur' },
      }),
      await app.admin('/accounts'),
      await ask(`${app.url}/v1/openapi.json`, { key: '' }),
      await ask(`${app.url}${MOUNT}/openapi.json`, { key: '' }),
    ];
    for (const { headers, text } of replies) {
      expect(headers['content-type'], text).to.equal('application/json; charset=utf-8');
      expect(headers['x-content-type-options'], text).to.equal('nosniff');
    }
  });

  it('are let into no mail: names are written as text', async () => {
    const made = { name: `Shop ${MARKUP}`, country: 'DE', default_currency: 'eur' };
    const { id } = await app.paymount.accounts.create({ ...made, email: 'owner@shop.example' });
    const { secret } = await makeKey(app.paymount, id);
    await app.admin('/leaks', {
      body: { credential: secret, source: MARKUP.slice(0, 90), url: `https://x.example/${MARKUP}` },
    });
    const client = new pg.Client({ connectionString: app.databaseUrl });
    await client.connect();
    const { rows } = await client.query<{ html: string }>(
      'SELECT html FROM paymount.mails WHERE account_id = $1',
      [id],
    );
    await client.end();
    expect(rows).to.have.lengthOf(1);
    expect(rows[0]?.html).to.include('&lt;script&gt;');
    expect(rows[0]?.html).to.not.match(/<script|<img|onerror=alert\(1\)>/);
  });
});
