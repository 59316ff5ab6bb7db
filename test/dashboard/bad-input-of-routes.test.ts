import { expect } from 'chai';
import { brokenQueries, brokenRequests, expectRefused } from '../support/broken-requests.ts';
import { DOCUMENTS, type Operation } from '../support/documents.ts';
import { tableContents } from '../support/table-contents.ts';
import { DASHBOARD_ROUTES, type DashboardRoute, pathTo } from './dashboard-table.ts';
import { type StagedDashboard, startStagedDashboard } from './staged-dashboard.ts';

const DOCUMENT = DOCUMENTS.dashboard;

describe('bad input to a route of the dashboard', function () {
  this.timeout(120_000);
  let stage: StagedDashboard;
  let owner: string;
  /** Of all tables, as they were before the last route. */
  let contents: Record<string, string>;

  before(async () => {
    stage = await startStagedDashboard();
    owner = stage.logIn('owner');
    contents = await tableContents(stage.databaseUrl);
  });
  after(() => stage.close());

  for (const route of DASHBOARD_ROUTES) {
    const { name, method } = route;
    it(`is refused by name: ${name}`, () => refuse(route));
    if (method === 'GET') continue;
    it(`writes nothing: ${name}`, async () => {
      const before = contents;
      contents = await tableContents(stage.databaseUrl);
      expect(contents).to.deep.equal(before);
    });
  }

  async function refuse(route: DashboardRoute): Promise<void> {
    const { method } = route;
    const operation = operationOf(route);
    const url = `/api/${stage.account}/test${pathTo(route, stage.own.test)}`;
    if (method === 'GET') {
      for (const each of brokenQueries(DOCUMENT, operation, {})) {
        expectRefused(await stage.open(`${url}?${each.body}`, { headers: { cookie: owner } }), each);
      }
      return;
    }
    const session = { cookie: owner, 'paymount-csrf': '1' };
    for (const each of brokenRequests(DOCUMENT, operation, route.body(stage.own.test, false))) {
      const headers = { ...session, ...each.headers };
      expectRefused(await stage.open(url, { method, headers, body: each.body }), each);
    }
  }
});

function operationOf({ name, method, pattern }: DashboardRoute): Operation {
  const operation = DOCUMENT.paths[pattern]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`The document has no ${name}.`);
  return operation;
}
