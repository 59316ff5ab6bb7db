import { expect } from 'chai';
import type { Environment } from 'paymount';
import type { Reply } from '../support/ask.ts';
import { query } from '../support/database.ts';
import { tableContents } from '../support/table-contents.ts';
import { DASHBOARD_ROUTES, type DashboardRoute, pathTo, WRITES } from './dashboard-table.ts';
import { type StagedDashboard, startStagedDashboard } from './staged-dashboard.ts';

const ENVIRONMENTS = ['test', 'live'] as const;
const SECRET = /(?:sk|rk|pk)_(?:live|test)_\w{20}|whsec_[\w+/]{20}/;

/** What a page of another site, or a program that forgot the header, sends. */
const FORGED: Readonly<Record<string, Record<string, string>>> = {
  'without the header Paymount-Csrf': { 'paymount-csrf': '' },
  'from another origin': { origin: 'https://evil.example' },
  'from another site': { 'sec-fetch-site': 'cross-site' },
  'from another host of the site': { 'sec-fetch-site': 'same-site' },
};

/** The last test does the work of every write; those before it are refused. */
describe('Every write of the dashboard', function () {
  this.timeout(60_000);
  let stage: StagedDashboard;
  let owner: string;

  before(async () => {
    stage = await startStagedDashboard();
    owner = stage.logIn('owner');
  });
  after(() => stage.close());

  /** A request that would do what the route is for, on what is there. */
  function sendInEarnest(
    route: DashboardRoute,
    environment: Environment,
    { cookie = owner, headers = {} }: { cookie?: string; headers?: Record<string, string> } = {},
  ): Promise<Reply> {
    const own = stage.own[environment];
    const { method } = route;
    const body = route.body(own, environment === 'live');
    return stage.call(cookie, pathTo(route, own), { environment, method, body, headers });
  }
  const seen = ({ status, error }: Reply) => `${status} ${String(error['code'])}`;

  for (const [what, headers] of Object.entries(FORGED)) {
    it(`is refused ${what}`, async () => {
      const before = await tableContents(stage.databaseUrl);
      for (const environment of ENVIRONMENTS) {
        for (const route of WRITES) {
          const reply = await sendInEarnest(route, environment, { headers });
          expect(seen(reply), `${environment} ${route.name}`).to.equal('403 permission_denied');
        }
      }
      expect(await tableContents(stage.databaseUrl)).to.deep.equal(before);
    });
  }

  it('is refused in live with a login that is too old, where it needs a fresh one', async () => {
    const before = await tableContents(stage.databaseUrl);
    const cookie = stage.logIn('owner', {
      authTime: new Date(stage.clock.now().getTime() - 601_000),
    });
    const needing = WRITES.filter(({ freshLogin }) => freshLogin);
    expect(needing).to.have.lengthOf(9);
    for (const route of needing) {
      const reply = await sendInEarnest(route, 'live', { cookie });
      expect(seen(reply), route.name).to.equal('401 insufficient_user_authentication');
    }
    const path = `/keys/${stage.own.live.key}`;
    for (const body of [{ expires_at: null }, { allowed_ips: ['192.0.2.1'] }]) {
      const reply = await stage.call(cookie, path, { environment: 'live', body });
      expect(seen(reply), JSON.stringify(body)).to.equal('401 insufficient_user_authentication');
    }
    expect(await tableContents(stage.databaseUrl)).to.deep.equal(before);
  });

  it('is refused for a suspended account, whose users may read everything', async () => {
    await stage.paymount.accounts.suspend(stage.account);
    const before = await tableContents(stage.databaseUrl);
    for (const environment of ENVIRONMENTS) {
      for (const route of WRITES) {
        const reply = await sendInEarnest(route, environment);
        expect(seen(reply), `${environment} ${route.name}`).to.equal('403 account_disabled');
      }
      for (const route of DASHBOARD_ROUTES.filter(({ method }) => method === 'GET')) {
        for (const method of ['GET', 'HEAD']) {
          const path = pathTo(route, stage.own[environment]);
          const { status } = await stage.call(owner, path, { environment, method });
          expect(status, `${environment} ${method} ${route.pattern}`).to.equal(200);
        }
      }
    }
    expect(await tableContents(stage.databaseUrl)).to.deep.equal(before);
    await stage.paymount.accounts.resume(stage.account);
  });

  it('is in the audit log with the user, and no answer with a secret is kept by a cache', async () => {
    const shown = new Set<string>();
    for (const environment of ENVIRONMENTS) {
      for (const route of WRITES.filter(
        ({ testOnly, spans }) => environment === 'test' || !(testOnly || spans),
      )) {
        const reply = await sendInEarnest(route, environment);
        const what = `${environment} ${route.name}`;
        expect(reply.status, `${what}: ${reply.text}`).to.equal(200);
        expect(reply.headers['cache-control'], what).to.equal('no-store');
        if (SECRET.test(reply.text)) shown.add(route.name);
        const rows = await query<{ action: string }>(
          stage.databaseUrl,
          `SELECT action, actor_type, actor_id, via FROM paymount.audit_log
            WHERE request_id = '${reply.headers['request-id']}' ORDER BY action`,
        );
        const actions = [...new Set(rows.map(({ action }) => action))];
        expect(actions, what).to.deep.equal([...new Set(route.audits)]);
        for (const { action: _, ...by } of rows) {
          expect(by, what).to.deep.equal({
            actor_type: 'user',
            actor_id: 'user-1',
            via: 'session',
          });
        }
      }
    }
    expect([...shown].toSorted()).to.deep.equal([
      'POST /endpoints',
      'POST /endpoints/{id}/reveal_secrets',
      'POST /endpoints/{id}/rotate_secret',
      'POST /keys',
      'POST /keys/{id}/rotate',
      'POST /leaks/{id}/rotate_signing_secrets',
    ]);
  });
});
