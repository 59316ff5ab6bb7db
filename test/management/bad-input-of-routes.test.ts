import { type AdminApp, MOUNT, startAdminApp } from '../support/admin-app.ts';
import { type AdminBelongings, type AdminSetup, adminSetup } from '../support/admin-setup.ts';
import { ask } from '../support/ask.ts';
import { brokenQueries, brokenRequests, expectRefused } from '../support/broken-requests.ts';
import { fakeClock } from '../support/clock.ts';
import { ofToday } from '../support/depth.ts';
import { DOCUMENTS } from '../support/documents.ts';
import { LiveBank } from '../support/live-bank.ts';
import { fillPattern, type ManagementRoute, UNKNOWN_IDS } from '../support/route-row.ts';
import { MANAGEMENT_ROUTES } from '../support/route-table.ts';
import { itWritesNothing } from '../support/writes-nothing.ts';

const DOCUMENT = DOCUMENTS.management;

/** The daily run sends a seventh of the broken requests of each route. */
describe('bad input to a route of the management API', function () {
  this.timeout(120_000);
  let app: AdminApp;
  let setup: AdminSetup;
  let own: AdminBelongings;

  before(async () => {
    const clock = fakeClock();
    app = await startAdminApp({ clock, paymount: { processors: { live: new LiveBank(clock) } } });
    setup = await adminSetup(app);
    own = await setup.belongings(app.account, 'test');
    await app.worker.drain();
  });
  after(async () => {
    await setup.close();
    await app.close();
  });

  describe('is refused by name', () => {
    for (const [index, route] of MANAGEMENT_ROUTES.entries()) {
      it(route.name, () => refuse(route, index));
    }
    itWritesNothing(() => app.databaseUrl);
  });

  async function refuse(route: ManagementRoute, index: number): Promise<void> {
    const { name, method, pattern, of, body } = route;
    const operation = DOCUMENT.paths[pattern]?.[method.toLowerCase()];
    if (operation === undefined) throw new Error(`The document has no ${name}.`);
    const url = app.url + MOUNT + fillPattern(pattern, own[of ?? 'account'], UNKNOWN_IDS);
    const key = await app.token(['admin']);
    if (method === 'GET') {
      for (const each of ofToday(brokenQueries(DOCUMENT, operation, {}), index)) {
        expectRefused(await ask(`${url}?${each.body}`, { key }), each);
      }
      return;
    }
    const broken = brokenRequests(DOCUMENT, operation, body?.(own, false) ?? {});
    for (const each of ofToday(broken, index)) {
      const { headers, body: sent } = each;
      expectRefused(await ask(url, { key, method, headers, body: sent }), each);
    }
  }
});
