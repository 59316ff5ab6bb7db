import { expect } from 'chai';
import { type AdminApp, MOUNT, startAdminApp } from '../support/admin-app.ts';
import { type AdminBelongings, type AdminStage, adminStage } from '../support/admin-stage.ts';
import { ask } from '../support/ask.ts';
import { brokenQueries, brokenRequests, expectRefused } from '../support/broken-requests.ts';
import { fakeClock } from '../support/clock.ts';
import { DOCUMENTS } from '../support/documents.ts';
import { LiveBank } from '../support/live-bank.ts';
import { fillPattern, type ManagementRoute, UNKNOWN_IDS } from '../support/route-row.ts';
import { MANAGEMENT_ROUTES } from '../support/route-table.ts';
import { tableContents } from '../support/table-contents.ts';

const DOCUMENT = DOCUMENTS.management;

describe('bad input to a route of the management API', function () {
  this.timeout(120_000);
  let app: AdminApp;
  let stage: AdminStage;
  let own: AdminBelongings;
  /** Of all tables, as they were before the last route. */
  let contents: Record<string, string>;

  before(async () => {
    const clock = fakeClock();
    app = await startAdminApp({ clock, paymount: { processors: { live: new LiveBank(clock) } } });
    stage = await adminStage(app);
    own = await stage.belongings(app.account, 'test');
    await app.worker.drain();
    contents = await tableContents(app.databaseUrl);
  });
  after(async () => {
    await stage.close();
    await app.close();
  });

  for (const route of MANAGEMENT_ROUTES) {
    const { name, method } = route;
    it(`is refused by name: ${name}`, () => refuse(route));
    if (method === 'GET') continue;
    it(`writes nothing: ${name}`, async () => {
      const before = contents;
      contents = await tableContents(app.databaseUrl);
      expect(contents).to.deep.equal(before);
    });
  }

  async function refuse({ name, method, pattern, of, body }: ManagementRoute): Promise<void> {
    const operation = DOCUMENT.paths[pattern]?.[method.toLowerCase()];
    if (operation === undefined) throw new Error(`The document has no ${name}.`);
    const url = app.url + MOUNT + fillPattern(pattern, own[of ?? 'account'], UNKNOWN_IDS);
    const key = await app.token(['admin']);
    if (method === 'GET') {
      for (const each of brokenQueries(DOCUMENT, operation, {})) {
        expectRefused(await ask(`${url}?${each.body}`, { key }), each);
      }
      return;
    }
    for (const each of brokenRequests(DOCUMENT, operation, body?.(own, false) ?? {})) {
      const { headers, body: sent } = each;
      expectRefused(await ask(url, { key, method, headers, body: sent }), each);
    }
  }
});
