import { expect } from 'chai';
import type { Environment } from 'paymount';
import { foundIn, type Reply } from '../support/ask.ts';
import { ofToday } from '../support/depth.ts';
import { itWritesNothing } from '../support/writes-nothing.ts';
import { DASHBOARD_ROUTES, type MerchantBelongings, pathTo, WRITES } from './dashboard-table.ts';
import { type SharedDashboard, startSharedDashboard } from './full-dashboard.ts';

const ENVIRONMENTS = ['test', 'live'] as const;
const OTHER = { test: 'live', live: 'test' } as const;
/** What the bodies of writes name, in the order of their names. */
const NAMED = [
  'POST /endpoints account',
  'POST /events/{id}/replay endpoint',
  'POST /keys account',
  'POST /replays account',
  'POST /replays endpoint',
  'POST /replays to',
  'POST /test_helpers/events endpoint',
  'POST /test_helpers/events object',
];

/**
 * Each environment of the dashboard, and everything that is not in it: the daily run sends each route one id of
 * those that another account or environment has.
 */
describe('What another account or environment has', function () {
  this.timeout(60_000);
  let setup: SharedDashboard;
  let owner: string;

  before(async () => {
    setup = await startSharedDashboard();
    owner = setup.logIn('owner');
  });
  after(() => setup.close());

  /** Sends a request as the owner of the account of the setup. */
  const send = (
    environment: Environment,
    { method }: { readonly method: string },
    path: string,
    body: object,
  ): Promise<Reply> =>
    setup.call(owner, path, { environment, ...(method === 'GET' ? {} : { method, body }) });
  const seen = ({ status, error }: Reply) => `${status} ${String(error['code'])}`;

  /** Who else has such objects: another account, and the other environment of this one. */
  function others(
    environment: Environment,
    of?: keyof MerchantBelongings,
  ): readonly MerchantBelongings[] {
    const { own, foreign } = setup;
    // An account is in both environments.
    return [foreign[environment], ...(of === 'account' ? [] : [own[OTHER[environment]]])];
  }

  it('is named by the bodies of these writes', () => {
    const named = WRITES.flatMap(({ name, ids }) => ids.map((each) => `${name} ${each.name}`));
    expect(named.toSorted()).to.deep.equal(NAMED);
  });

  for (const environment of ENVIRONMENTS) {
    describe(`does not exist below /${environment}, by any id in a path`, () => {
      const routes = DASHBOARD_ROUTES.filter(({ of }) => of !== undefined);
      for (const [index, route] of routes.entries()) {
        it(route.name, async () => {
          const body = route.body(setup.own[environment], environment === 'live');
          const owners = others(environment, route.spans ? 'account' : route.of);
          for (const someone of ofToday(owners, index)) {
            const reply = await send(environment, route, pathTo(route, someone), body);
            expect(seen(reply), reply.text).to.equal('404 resource_missing');
          }
        });
      }
      itWritesNothing(() => setup.databaseUrl);
    });

    describe(`is named by no body of a write below /${environment}`, () => {
      const writes = WRITES.filter(({ testOnly }) => !testOnly || environment === 'test');
      for (const [index, route] of writes.entries()) {
        for (const { name, of, with: more } of route.ids) {
          it(`${route.name} ${name}`, async () => {
            const own = setup.own[environment];
            const valid = more ?? route.body(own, environment === 'live');
            for (const someone of ofToday(others(environment, of), index)) {
              const body = { ...valid, [name]: someone[of] };
              const { status, error, text } = await send(
                environment,
                route,
                pathTo(route, own),
                body,
              );
              expect(status, text).to.be.oneOf([400, 404]);
              expect([error['code'], error['param']], text).to.deep.equal([
                'resource_missing',
                name,
              ]);
            }
          });
        }
      }
      itWritesNothing(() => setup.databaseUrl);
    });

    describe(`is found by no filter of a list below /${environment}`, () => {
      const reads = DASHBOARD_ROUTES.filter(({ method }) => method === 'GET');
      for (const [index, route] of reads.entries()) {
        for (const { name, of } of route.ids) {
          if (of === 'account') continue;
          it(`${route.name} ${name}`, async () => {
            for (const someone of ofToday(others(environment, of), index)) {
              const path = `${pathTo(route, setup.own[environment])}?${name}=${someone[of]}`;
              const reply = await send(environment, route, path, {});
              // These are looked up: only an automatic payout has contents, and a list without a clock
              // leaves out what is on one.
              if (name === 'payout' || name === 'test_clock')
                expect(seen(reply), reply.text).to.equal('400 resource_missing');
              else expect([reply.status, foundIn(reply)], reply.text).to.deep.equal([200, []]);
            }
          });
        }
      }
    });
  }
});
