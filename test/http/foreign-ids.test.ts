import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, FORM, foundIn, type Reply } from '../support/ask.ts';
import { fakeClock } from '../support/clock.ts';
import { connectTwo } from '../support/connect-platform.ts';
import { makeAccount, makeKey } from '../support/credentials.ts';
import { documentedRoutes } from '../support/documented-routes.ts';
import { formText } from '../support/form-text.ts';
import { LiveBank } from '../support/live-bank.ts';
import { type Belongings, makeBelongings } from '../support/owned-objects.ts';
import { PLAIN_TEXTS } from '../support/plain-texts.ts';
import { pathTo, type V1Route } from '../support/route-row.ts';
import { V1_ROUTES } from '../support/route-table.ts';
import { tableContents } from '../support/table-contents.ts';

type Environment = 'live' | 'test';

/** One account in one environment, with a secret key and an object of every kind. */
interface Tenant {
  readonly name: string;
  readonly environment: Environment;
  readonly url: string;
  readonly key: string;
  readonly own: Belongings;
}

/** An id of the same form that was never made. */
const never = (id: string): string => `${id.slice(0, -4)}zzzz`;

describe('an object of another account or environment', function () {
  this.timeout(120_000);
  let app: TestApp;
  let tenants: readonly Tenant[];

  before(async () => {
    app = await startApp({
      mount: (host, paymount) => {
        host.use('/test', paymount.router({ environment: 'test' }));
        host.use('/live', paymount.router({ environment: 'live' }));
      },
      paymount: { processors: { live: new LiveBank(fakeClock()) } },
    });
    const other = await makeAccount(app.paymount, 'Another shop');
    tenants = [];
    for (const account of [app.account, other]) {
      for (const environment of ['test', 'live'] as const) {
        tenants = [...tenants, await createTenant(account, environment)];
      }
    }
    await app.worker.drain();
  });
  after(() => app.close());

  async function createTenant(
    account: TestApp['account'],
    environment: Environment,
  ): Promise<Tenant> {
    const url = `${app.url}/${environment}`;
    const { secret: key } = await makeKey(app.paymount, account, { environment });
    const { id: spareKey } = await makeKey(app.paymount, account, { environment });
    const applications = await connectTwo(app.paymount, account, environment);
    const own = await makeBelongings({
      url,
      key,
      spareKey,
      worker: app.worker,
      applications,
      environment,
    });
    return {
      name: `${account} in ${environment}`,
      environment,
      url,
      key,
      own,
    };
  }

  /** Each of the four, and each of the others whose objects it must not see. */
  function* encounters(): Generator<{ stranger: Tenant; owner: Tenant; who: string }> {
    for (const stranger of tenants) {
      for (const owner of tenants) {
        if (owner === stranger) continue;
        yield { stranger, owner, who: `${stranger.name} asks for what is ${owner.name}` };
      }
    }
  }

  /** What a stranger sees, without what must differ. */
  function seen({ status, headers, text }: Reply, id: string): object {
    const { date: _, 'request-id': __, ...rest } = headers;
    const body = text.replaceAll(id, '<id>').replace(/"request_id":"[^"]+"/, '');
    return { status, headers: rest, body };
  }

  function send(route: V1Route, { url, key }: Tenant, path: string, form = '') {
    const { method } = route;
    if (method === 'GET') {
      const mark = path.includes('?') ? '&' : '?';
      return ask(`${url}${path}${form === '' ? '' : `${mark}${form}`}`, { key });
    }
    return ask(url + path, { method, key, headers: FORM, body: form });
  }

  /** The path of a route for what the asking tenant has itself. */
  function ownPath(route: V1Route, { own }: Tenant): string {
    return route.of === undefined && route.query === undefined ? route.path : pathTo(route, own);
  }

  const withoutQuery = (path: string): string => path.replace(/\?.*/, '');

  it('is answered, on every route with an id, as one that never was', async () => {
    const before = await tableContents(app.databaseUrl);
    let asked = 0;
    for (const { stranger, owner, who } of encounters()) {
      for (const route of V1_ROUTES) {
        const { of, body } = route;
        const id = of && owner.own[of];
        if (id === undefined) continue;
        // An account is the same in both environments.
        if (of === 'account' && stranger.own.account === owner.own.account) continue;
        const answers = [id, never(id)].map((each) => {
          const path = pathTo(route, { ...owner.own, [of ?? 'charge']: each });
          return send(route, stranger, path, formText(body?.(stranger.own, false) ?? {}));
        });
        const [foreign, unknown] = await Promise.all(answers);
        if (foreign === undefined || unknown === undefined) throw new Error('Two were asked.');
        const what = `${who}: ${route.name} ${foreign.text}`;
        const isRefused = route.testOnly === true && stranger.environment === 'live';
        expect([foreign.status, foreign.error['code']], what).to.deep.equal(
          isRefused ? [400, 'test_mode_only'] : [404, 'resource_missing'],
        );
        expect(seen(foreign, id), what).to.deep.equal(seen(unknown, never(id)));
        asked += 1;
      }
    }
    expect(asked).to.be.at.least(12 * 15);
    expect(await tableContents(app.databaseUrl)).to.deep.equal(before);
  });

  /** Each parameter that names an object, with its route. */
  function idParameters() {
    return V1_ROUTES.flatMap((route) =>
      Object.entries(route.ids ?? {}).map(([name, parameter]) => ({ route, name, ...parameter })),
    );
  }

  it('is answered as one that never was where a parameter names it', async () => {
    const before = await tableContents(app.databaseUrl);
    for (const { stranger, owner, who } of encounters()) {
      for (const { route, name, of, with: more = {}, status } of idParameters()) {
        // Live has no disputes.
        if (route.of !== undefined && stranger.own[route.of] === undefined) continue;
        const path = withoutQuery(ownPath(route, stranger));
        for (const kind of of) {
          const id = owner.own[kind];
          if (id === undefined) continue;
          const ask = (each: string): Promise<Reply> =>
            send(
              route,
              stranger,
              path,
              [formText(more), `${name}=${each}`].filter(Boolean).join('&'),
            );
          const foreign = await ask(id);
          const what = `${who}: ${route.name} ${name} ${foreign.text}`;
          if (route.testOnly && stranger.environment === 'live') {
            expect(foreign.error, what).to.include({ code: 'test_mode_only' });
            continue;
          }
          const isEmptyList = route.method === 'GET' && status === undefined;
          if (isEmptyList) expect(foundIn(foreign), what).to.deep.equal([]);
          else expect(foreign.error, what).to.include({ code: 'resource_missing' });
          expect(foreign.status, what).to.equal(isEmptyList ? 200 : (status ?? 400));
          expect(seen(foreign, id), what).to.deep.equal(seen(await ask(never(id)), never(id)));
        }
      }
    }
    expect(await tableContents(app.databaseUrl)).to.deep.equal(before);
  });

  it('is answered as one that never was where a cursor names it', async () => {
    for (const { stranger, owner, who } of encounters()) {
      for (const route of V1_ROUTES) {
        const { name, lists } = route;
        if (lists === undefined) continue;
        if (route.testOnly && stranger.environment === 'live') continue;
        for (const cursor of ['starting_after', 'ending_before']) {
          const id = owner.own[lists];
          if (id === undefined) continue;
          const path = ownPath(route, stranger);
          const foreign = await send(route, stranger, path, `${cursor}=${id}`);
          const unknown = await send(route, stranger, path, `${cursor}=${never(id)}`);
          const what = `${who}: ${name} ${cursor} ${foreign.text}`;
          expect([foreign.status, foreign.error['code'], foreign.error['param']]).to.deep.equal([
            400,
            'invalid_cursor',
            cursor,
          ]);
          expect(seen(foreign, id), what).to.deep.equal(seen(unknown, never(id)));
        }
      }
    }
  });

  it('is in no list', async () => {
    for (const { stranger, owner, who } of encounters()) {
      const foreign = idsOf(owner, stranger);
      for (const route of V1_ROUTES) {
        const { name, method, lists, testOnly } = route;
        if (method !== 'GET' || name.includes('{')) continue;
        const limit = lists === undefined ? '' : 'limit=100';
        const { text, status } = await send(route, stranger, ownPath(route, stranger), limit);
        const isRefused = testOnly === true && stranger.environment === 'live';
        expect(status, `${who}: ${name}`).to.equal(isRefused ? 400 : 200);
        for (const id of foreign) expect(text, `${who}: ${name}`).to.not.include(id);
      }
    }
  });

  it('is in nothing that is expanded', async () => {
    for (const { stranger, owner, who } of encounters()) {
      const foreign = idsOf(owner, stranger);
      for (const [path, fields] of [
        [`charges/${stranger.own.charge}`, ['payment_method', 'balance_transaction', 'refunds']],
        ['charges', ['data.payment_method', 'data.refunds.data.charge']],
        [`refunds/${stranger.own.refund}`, ['charge.refunds', 'balance_transaction.source']],
        [`balance_transactions/${stranger.own.line}`, ['source.refunds']],
        [`payouts/${stranger.own.payout}`, ['destination', 'balance_transaction.source']],
      ] as const) {
        const query = fields.map((field) => `expand[]=${field}`).join('&');
        const reply = await ask(`${stranger.url}/v1/${path}?${query}`, stranger);
        expect(reply.status, reply.text).to.equal(200);
        for (const id of foreign) expect(reply.text, `${who}: ${path}`).to.not.include(id);
      }
    }
  });

  it('is named by no parameter that these tests do not know', async () => {
    const documented = await documentedRoutes(`${app.url}/test/v1/openapi.json`);
    for (const { name: route, ids, lists } of V1_ROUTES) {
      const { parameters = [] } = documented.get(route) ?? {};
      for (const { name, isText } of parameters) {
        if (!isText || isCursor(name)) continue;
        const last = name.replace(/^.*\[(\w+)\]/, '$1');
        const isKnown = PLAIN_TEXTS.has(last) || ids?.[name] !== undefined;
        expect(isKnown, `${route} ${name}: does it name an object?`).to.equal(true);
      }
      const hasCursor = parameters.some(({ name }) => isCursor(name));
      expect(hasCursor, `${route}: is it a list?`).to.equal(lists !== undefined);
    }
  });

  /** An account is the same in both environments. */
  const idsOf = ({ own }: Tenant, stranger: Tenant): readonly string[] =>
    (Object.values(own) as string[]).filter((id) => id !== stranger.own.account);

  const isCursor = (name: string): boolean => ['starting_after', 'ending_before'].includes(name);
});
