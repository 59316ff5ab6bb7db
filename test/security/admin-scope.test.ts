import { expect } from 'chai';
import { type AdminApp, MOUNT, startAdminApp } from '../support/admin-app.ts';
import { type AdminBelongings, type AdminSetup, adminSetup } from '../support/admin-setup.ts';
import { ask, foundIn, JSON_TYPE, type Reply } from '../support/ask.ts';
import { fakeClock } from '../support/clock.ts';
import { makeAccount } from '../support/credentials.ts';
import { ofToday } from '../support/depth.ts';
import { type DocumentedRoute, documentedRoutes } from '../support/documented-routes.ts';
import { LiveBank } from '../support/live-bank.ts';
import { ADMIN_PLAIN_TEXTS } from '../support/plain-texts.ts';
import type { ManagementRoute } from '../support/route-row.ts';
import { MANAGEMENT_ROUTES } from '../support/route-table.ts';
import { itWritesNothing } from '../support/writes-nothing.ts';

/** One account in one environment, and all that an admin of it alone may see. */
interface Tenant {
  readonly name: string;
  readonly account: TestAccount;
  readonly environment: 'live' | 'test';
  readonly own: AdminBelongings;
}
type TestAccount = AdminApp['account'];

/** An admin, and somebody whose objects are out of reach. */
interface Encounter {
  readonly admin: Tenant;
  readonly owner: Tenant;
  readonly who: string;
}

/** An id of the same form that was never made. */
const never = (id: string): string => `${id.slice(0, -4)}zzzz`;
/** Tokens that served for a call that replaces or removes what works are remembered. */
const SPENT = ['idempotency_keys'];

/** The daily run takes a seventh of the encounters with each route. */
describe('what lies outside of an admin’s accounts and environments', function () {
  this.timeout(60_000);
  let app: AdminApp;
  let setup: AdminSetup;
  let documented: ReadonlyMap<string, DocumentedRoute>;
  let tenants: readonly Tenant[] = [];

  before(async () => {
    app = await startAdminApp({ paymount: { processors: { live: new LiveBank(fakeClock()) } } });
    setup = await adminSetup(app);
    documented = await documentedRoutes(`${app.url}${MOUNT}/openapi.json`);
    for (const account of [app.account, await makeAccount(app.paymount, 'Another shop')]) {
      for (const environment of ['test', 'live'] as const) {
        const own = await setup.belongings(account, environment);
        tenants = [...tenants, { name: `${account} in ${environment}`, account, environment, own }];
      }
    }
  });
  after(async () => {
    await setup.close();
    await app.close();
  });

  /** Each admin of one tenant, and each of the others whose objects are out of reach. */
  function encounters(): readonly Encounter[] {
    return tenants.flatMap((admin) =>
      tenants
        .filter((owner) => owner !== admin)
        .map((owner) => {
          const who = `an admin of ${admin.name} asks for what is ${owner.name}`;
          return { admin, owner, who };
        }),
    );
  }
  const isOfTwoAccounts = ({ admin, owner }: Encounter): boolean => admin.account !== owner.account;

  /** A token of an admin of this account in this environment alone. */
  const tokenOf = ({ account, environment }: Tenant): Promise<string> =>
    app.token(['admin'], { accounts: [account], environments: [environment] });

  async function send(
    { method, pattern }: ManagementRoute,
    tenant: Tenant,
    { id = '', query = '', body = {} as object },
  ): Promise<Reply> {
    const authorization = `Bearer ${await tokenOf(tenant)}`;
    const path = pattern.replace('{id}', id);
    return ask(`${app.url}${MOUNT}${path}${query}`, {
      key: '',
      method,
      headers: { ...JSON_TYPE, authorization },
      ...(method === 'POST' ? { body: JSON.stringify(body) } : {}),
    });
  }

  /** What is seen, without what must differ. */
  function seen({ status, headers, text }: Reply, id: string): object {
    const { date: _, 'request-id': __, ...rest } = headers;
    const body = text.replaceAll(id, '<id>').replace(/"request_id":"[^"]+"/, '');
    return { status, headers: rest, body };
  }

  /** Reads of many; the export, which is lines, is asked below. */
  const isListLike = ({ name, method }: ManagementRoute): boolean =>
    method === 'GET' && !name.includes('{') && !name.endsWith('/export');

  describe('is answered, on every route with an id, as what never was', () => {
    for (const [index, route] of MANAGEMENT_ROUTES.entries()) {
      const { name, of, body } = route;
      if (of === undefined) continue;
      it(name, async () => {
        const met = encounters().filter((each) => {
          // An account is in both environments; whoever may see it in one sees it.
          if (of === 'account') return isOfTwoAccounts(each);
          // Live has no test clocks.
          return of !== 'stuckClock' || each.owner.environment === 'test';
        });
        for (const { admin, owner, who } of ofToday(met, index)) {
          const id = owner.own[of];
          const sent = body?.(admin.own, admin.environment === 'live') ?? {};
          const foreign = await send(route, admin, { id, body: sent });
          const unknown = await send(route, admin, { id: never(id), body: sent });
          const what = `${who}: ${foreign.text}`;
          expect([foreign.status, foreign.error['code']], what).to.deep.equal([
            404,
            'resource_missing',
          ]);
          expect(seen(foreign, id), what).to.deep.equal(seen(unknown, never(id)));
        }
      });
    }
    itWritesNothing(() => app.databaseUrl, SPENT);
  });

  describe('is answered as what never was where a parameter names it', () => {
    /** Each parameter that names an object, with its route. */
    const parameters = MANAGEMENT_ROUTES.flatMap((route) =>
      Object.entries(route.ids ?? {}).map(([name, parameter]) => ({ route, name, ...parameter })),
    );
    for (const [index, { route, name, of, answer }] of parameters.entries()) {
      it(`${route.name} ${name}`, async () => {
        const met = encounters().filter((each) => of !== 'account' || isOfTwoAccounts(each));
        for (const { admin, owner, who } of ofToday(met, index)) {
          const own = route.body?.(admin.own, admin.environment === 'live');
          const [list] = name.split('[]');
          const isList = list !== name;
          const naming = (id: string): Promise<Reply> =>
            send(route, admin, {
              id: admin.own[route.of ?? 'account'],
              ...(route.method === 'GET'
                ? { query: `?${name}=${id}` }
                : { body: { ...own, ...(isList ? { [`${list}`]: [id] } : { [name]: id }) } }),
            });
          const id = owner.own[of];
          const foreign = await naming(id);
          const what = `${who}: ${foreign.text}`;
          if (answer === 'none') expect(foundIn(foreign), what).to.deep.equal([]);
          else {
            const param = isList ? `${list}[0]` : name;
            expect(foreign.error, what).to.include({ code: 'resource_missing', param });
          }
          expect(seen(foreign, id), what).to.deep.equal(seen(await naming(never(id)), never(id)));
        }
      });
    }
    itWritesNothing(() => app.databaseUrl, SPENT);
  });

  describe('is in no list', () => {
    for (const [index, route] of MANAGEMENT_ROUTES.filter(isListLike).entries()) {
      it(route.name, async () => {
        const takes = (parameter: string): boolean =>
          documented.get(route.name)?.parameters.some(({ name }) => name === parameter) === true;
        const limit = takes('limit') ? '?limit=100' : '';
        for (const { admin, owner, who } of ofToday(encounters(), index)) {
          const livemode = `${limit}${limit ? '&' : '?'}livemode=${owner.environment === 'live'}`;
          for (const query of takes('livemode') ? [limit, livemode] : [limit]) {
            const listed = await send(route, admin, { query });
            expect(listed.status, listed.text).to.equal(200);
            for (const [what, id] of Object.entries(owner.own)) {
              if (what === 'account' && owner.account === admin.account) continue;
              expect(listed.text, `${who}: it shows a ${what}`).to.not.include(id);
            }
          }
        }
      });
    }
  });

  describe('is at no cursor of a list', () => {
    for (const [index, route] of MANAGEMENT_ROUTES.entries()) {
      const { name, lists } = route;
      if (lists === undefined) continue;
      it(name, async () => {
        const met = encounters().filter((each) => lists !== 'account' || isOfTwoAccounts(each));
        for (const { admin, owner, who } of ofToday(met, index)) {
          for (const cursor of ['starting_after', 'ending_before']) {
            const id = owner.own[lists];
            const foreign = await send(route, admin, { query: `?${cursor}=${id}` });
            const unknown = await send(route, admin, { query: `?${cursor}=${never(id)}` });
            expect(foreign.error, `${who}: ${cursor}`).to.include({
              code: 'invalid_cursor',
              param: cursor,
            });
            expect(seen(foreign, id)).to.deep.equal(seen(unknown, never(id)));
          }
        }
      });
    }
  });

  it('is not exported', async () => {
    for (const admin of tenants) {
      const authorization = `Bearer ${await tokenOf(admin)}`;
      const answer = await fetch(`${app.url}${MOUNT}/audit/export`, { headers: { authorization } });
      const text = await answer.text();
      expect(text).to.include(admin.own.keyToRotate);
      for (const owner of tenants.filter((each) => each !== admin)) {
        expect(text, owner.name).to.not.include(owner.own.keyToRotate);
        expect(text, owner.name).to.not.include(owner.own.audit);
        if (owner.account === admin.account) continue;
        const query = `?account=${owner.account}`;
        const asked = await app.admin(`/audit/export${query}`, { token: await tokenOf(admin) });
        expect([asked.status, asked.error['code'], asked.error['param']]).to.deep.equal([
          400,
          'resource_missing',
          'account',
        ]);
      }
    }
  });

  it('is in no chain of the audit log that is verified', async () => {
    const [admin] = tenants;
    if (admin === undefined) throw new Error('There is no admin.');
    const verify = async (body: object): Promise<Reply> =>
      app.admin('/audit/verify', { token: await tokenOf(admin), body });
    expect((await verify({})).error['code']).to.equal('parameter_missing');
    expect((await verify({ account: admin.account })).json['faults']).to.deep.equal([]);
  });

  describe('is given nothing, not even in the environment that the admin may not see', () => {
    const routes = MANAGEMENT_ROUTES.filter(({ makes }) => makes === true);
    for (const [index, route] of routes.entries()) {
      it(route.name, async () => {
        const met = encounters().filter((each) => !isOfTwoAccounts(each));
        for (const { admin, owner, who } of ofToday(met, index)) {
          const body = route.body?.(owner.own, owner.environment === 'live') ?? {};
          const { status, error, text } = await send(route, admin, { body });
          expect([status, error['code']], `${who}: ${text}`).to.deep.equal([
            403,
            'permission_denied',
          ]);
        }
      });
    }
  });

  it('is not made: an admin of some accounts makes no other', async () => {
    const token = await app.token(['admin'], { accounts: [app.account] });
    const body = { name: 'Unseen', country: 'DE', default_currency: 'eur' };
    const { status, error } = await app.admin('/accounts', { token, body });
    expect([status, error['code']]).to.deep.equal([403, 'permission_denied']);
  });

  it('is named by no parameter that this test does not know', () => {
    for (const { name: route, ids, lists } of MANAGEMENT_ROUTES) {
      for (const { name, isText } of documented.get(route)?.parameters ?? []) {
        if (!isText) continue;
        const isCursor = ['starting_after', 'ending_before'].includes(name);
        const isPlain = ADMIN_PLAIN_TEXTS.some((plain) => plain.test(`${route} ${name}`));
        const isKnown = isCursor ? lists !== undefined : isPlain || ids?.[name] !== undefined;
        expect(isKnown, `${route} ${name}: does it name an object?`).to.equal(true);
      }
    }
  });
});
