import { expect } from 'chai';
import type { Environment } from 'paymount';
import { foundIn, type Reply } from '../support/ask.ts';
import { tableContents } from '../support/table-contents.ts';
import { DASHBOARD_ROUTES, pathTo, WRITES } from './dashboard-table.ts';
import { type StagedDashboard, startStagedDashboard } from './staged-dashboard.ts';

const ENVIRONMENTS = ['test', 'live'] as const;
const OTHER = { test: 'live', live: 'test' } as const;

/** Each environment of the dashboard, and everything that is not in it. */
describe('What another account or environment has', function () {
  this.timeout(60_000);
  let stage: StagedDashboard;
  let owner: string;

  before(async () => {
    stage = await startStagedDashboard();
    owner = stage.logIn('owner');
  });
  after(() => stage.close());

  /** Sends a request as the owner of the account of the stage. */
  const send = (
    environment: Environment,
    { method }: { readonly method: string },
    path: string,
    body: object,
  ): Promise<Reply> =>
    stage.call(owner, path, { environment, ...(method === 'GET' ? {} : { method, body }) });
  const seen = ({ status, error }: Reply) => `${status} ${String(error['code'])}`;

  for (const environment of ENVIRONMENTS) {
    it(`does not exist below /${environment}, by any id in a path`, async () => {
      const { own, foreign } = stage;
      const before = await tableContents(stage.databaseUrl);
      const routes = DASHBOARD_ROUTES.filter(({ of }) => of !== undefined);
      expect(routes).to.have.length.above(25);
      for (const route of routes) {
        const body = route.body(own[environment], environment === 'live');
        const owners = [foreign[environment], ...(route.spans ? [] : [own[OTHER[environment]]])];
        for (const someone of route.of === 'account' ? [foreign[environment]] : owners) {
          const reply = await send(environment, route, pathTo(route, someone), body);
          expect(seen(reply), `${route.name}: ${reply.text}`).to.equal('404 resource_missing');
        }
      }
      expect(await tableContents(stage.databaseUrl)).to.deep.equal(before);
    });

    it(`is named by no body of a write below /${environment}`, async () => {
      const { own, foreign } = stage;
      const before = await tableContents(stage.databaseUrl);
      const tried: string[] = [];
      for (const route of WRITES.filter(({ testOnly }) => !testOnly || environment === 'test')) {
        for (const { name, of, with: others } of route.ids) {
          const path = pathTo(route, own[environment]);
          const valid = others ?? route.body(own[environment], environment === 'live');
          for (const someone of [foreign[environment], own[OTHER[environment]]]) {
            if (of === 'account' && someone !== foreign[environment]) continue;
            const reply = await send(environment, route, path, { ...valid, [name]: someone[of] });
            const what = `${route.name} ${name}: ${reply.text}`;
            expect(reply.status, what).to.be.oneOf([400, 404]);
            expect([reply.error['code'], reply.error['param']], what).to.deep.equal([
              ...['resource_missing', name],
            ]);
          }
          tried.push(`${route.name} ${name}`);
        }
      }
      const onlyTest = ['POST /test_helpers/events endpoint', 'POST /test_helpers/events object'];
      expect(tried.toSorted()).to.deep.equal([
        'POST /endpoints account',
        'POST /events/{id}/replay endpoint',
        'POST /keys account',
        'POST /replays account',
        'POST /replays endpoint',
        'POST /replays to',
        ...(environment === 'test' ? onlyTest : []),
      ]);
      expect(await tableContents(stage.databaseUrl)).to.deep.equal(before);
    });

    it(`is found by no filter of a list below /${environment}`, async () => {
      const { own, foreign } = stage;
      for (const route of DASHBOARD_ROUTES.filter(({ method }) => method === 'GET')) {
        for (const { name, of } of route.ids) {
          if (of === 'account') continue;
          for (const someone of [foreign[environment], own[OTHER[environment]]]) {
            const path = `${pathTo(route, own[environment])}?${name}=${someone[of]}`;
            const reply = await send(environment, route, path, {});
            const what = `${route.name} ${name}: ${reply.text}`;
            // Only an automatic payout has contents, so that the payout itself is looked up.
            if (name === 'payout') {
              expect([reply.status, reply.error['code']], what).to.deep.equal([
                400,
                'resource_missing',
              ]);
            } else expect([reply.status, foundIn(reply)], what).to.deep.equal([200, []]);
          }
        }
      }
    });
  }
});
