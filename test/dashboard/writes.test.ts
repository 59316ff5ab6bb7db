import { expect } from 'chai';
import type { Environment } from 'paymount';
import type { Reply } from '../support/ask.ts';
import { query } from '../support/database.ts';
import { ofToday } from '../support/depth.ts';
import { itWritesNothing } from '../support/writes-nothing.ts';
import { DASHBOARD_ROUTES, type DashboardRoute, pathTo, WRITES } from './dashboard-table.ts';
import { type FullDashboard, startFullDashboard } from './full-dashboard.ts';

const ENVIRONMENTS = ['test', 'live'] as const;
const SECRET = /(?:sk|rk|pk)_(?:live|test)_\w{20}|whsec_[\w+/]{20}/;

/** What a page of another site, or a program that forgot the header, sends. */
const FORGED: Readonly<Record<string, Record<string, string>>> = {
  'without the header Paymount-Csrf': { 'paymount-csrf': '' },
  'from another origin': { origin: 'https://evil.example' },
  'from another site': { 'sec-fetch-site': 'cross-site' },
  'from another host of the site': { 'sec-fetch-site': 'same-site' },
};

/** The writes whose answers show a secret. */
const SHOWING_SECRETS = [
  'POST /endpoints',
  'POST /endpoints/{id}/reveal_secrets',
  'POST /endpoints/{id}/rotate_secret',
  'POST /keys',
  'POST /keys/{id}/rotate',
  'POST /leaks/{id}/rotate_signing_secrets',
];

/**
 * The last tests do the work of every write; those before them are refused. The daily run sends each write in
 * one environment to each of them.
 */
describe('Every write of the dashboard', function () {
  this.timeout(60_000);
  let setup: FullDashboard;
  let owner: string;

  before(async () => {
    setup = await startFullDashboard();
    owner = setup.logIn('owner');
  });
  after(() => setup.close());

  /** A request that would do what the route is for, on what is there. */
  function sendInEarnest(
    route: DashboardRoute,
    environment: Environment,
    { cookie = owner, headers = {} }: { cookie?: string; headers?: Record<string, string> } = {},
  ): Promise<Reply> {
    const own = setup.own[environment];
    const { method } = route;
    const body = route.body(own, environment === 'live');
    return setup.call(cookie, pathTo(route, own), { environment, method, body, headers });
  }
  const seen = ({ status, error }: Reply) => `${status} ${String(error['code'])}`;

  for (const [what, headers] of Object.entries(FORGED)) {
    describe(`is refused ${what}`, () => {
      for (const [index, route] of WRITES.entries()) {
        it(route.name, async () => {
          for (const environment of ofToday(ENVIRONMENTS, index)) {
            const reply = await sendInEarnest(route, environment, { headers });
            expect(seen(reply), environment).to.equal('403 permission_denied');
          }
        });
      }
      itWritesNothing(() => setup.databaseUrl);
    });
  }

  describe('is refused in live with a login that is too old, where it needs a fresh one', () => {
    let cookie: string;
    before(() => {
      const authTime = new Date(setup.clock.now().getTime() - 601_000);
      cookie = setup.logIn('owner', { authTime });
    });
    const needing = WRITES.filter(({ freshLogin }) => freshLogin);
    for (const route of needing) {
      it(route.name, async () => {
        const reply = await sendInEarnest(route, 'live', { cookie });
        expect(seen(reply)).to.equal('401 insufficient_user_authentication');
      });
    }
    it('nine writes do', () => {
      expect(needing).to.have.lengthOf(9);
    });
    for (const body of [{ expires_at: null }, { allowed_ips: ['192.0.2.1'] }]) {
      it(`POST /keys/{id} ${JSON.stringify(body)}`, async () => {
        const path = `/keys/${setup.own.live.key}`;
        const reply = await setup.call(cookie, path, { environment: 'live', body });
        expect(seen(reply)).to.equal('401 insufficient_user_authentication');
      });
    }
    itWritesNothing(() => setup.databaseUrl);
  });

  describe('is refused for a suspended account, whose users may read everything', () => {
    before(() => setup.paymount.accounts.suspend(setup.account));
    after(() => setup.paymount.accounts.resume(setup.account));
    for (const [index, route] of WRITES.entries()) {
      it(route.name, async () => {
        for (const environment of ofToday(ENVIRONMENTS, index)) {
          const reply = await sendInEarnest(route, environment);
          expect(seen(reply), environment).to.equal('403 account_disabled');
        }
      });
    }
    const reads = DASHBOARD_ROUTES.filter(({ method }) => method === 'GET');
    for (const [index, route] of reads.entries()) {
      it(route.name, async () => {
        const asked = ENVIRONMENTS.flatMap((environment) =>
          ['GET', 'HEAD'].map((method) => ({ environment, method })),
        );
        for (const { environment, method } of ofToday(asked, index)) {
          const path = pathTo(route, setup.own[environment]);
          const { status } = await setup.call(owner, path, { environment, method });
          expect(status, `${environment} ${method}`).to.equal(200);
        }
      });
    }
    itWritesNothing(() => setup.databaseUrl);
  });

  describe('is in the audit log with the user, and no answer with a secret is kept by a cache', () => {
    for (const [index, route] of WRITES.entries()) {
      it(route.name, async () => {
        const isOfTest = route.testOnly || route.spans;
        for (const environment of ofToday(isOfTest ? ['test' as const] : ENVIRONMENTS, index)) {
          const reply = await sendInEarnest(route, environment);
          expect(reply.status, `${environment}: ${reply.text}`).to.equal(200);
          expect(reply.headers['cache-control'], environment).to.equal('no-store');
          const showsSecret = SHOWING_SECRETS.includes(route.name);
          expect(SECRET.test(reply.text), `${environment}: shows a secret`).to.equal(showsSecret);
          const rows = await query<{ action: string }>(
            setup.databaseUrl,
            `SELECT action, actor_type, actor_id, via FROM paymount.audit_log
              WHERE request_id = '${reply.headers['request-id']}' ORDER BY action`,
          );
          const actions = [...new Set(rows.map(({ action }) => action))];
          expect(actions, environment).to.deep.equal([...new Set(route.audits)]);
          for (const { action: _, ...by } of rows) {
            expect(by, environment).to.deep.equal({
              actor_type: 'user',
              actor_id: 'user-1',
              via: 'session',
            });
          }
        }
      });
    }
  });
});
