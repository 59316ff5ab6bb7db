import { expect } from 'chai';
import { makeAccount, makeKey } from '../security/credentials.ts';
import { type DocumentedRoute, documentedRoutes } from '../security/documented-routes.ts';
import { LiveBank } from '../security/live-bank.ts';
import { type Belongings, makeBelongings } from '../security/owned-objects.ts';
import { tableContents } from '../security/table-contents.ts';
import {
  ID_PARAMETERS,
  LISTS,
  PLAIN_TEXTS,
  pathTo,
  toRow,
  V1_ROUTES,
} from '../security/v1-routes.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { fakeClock } from '../support/clock.ts';
import { ask, FORM, type Reply } from './ask.ts';

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
  this.timeout(30_000);
  let app: TestApp;
  let routes: readonly DocumentedRoute[];
  let tenants: readonly Tenant[];

  before(async () => {
    app = await startApp({
      mount: (host, paymount) => {
        host.use('/test', paymount.router({ environment: 'test' }));
        host.use('/live', paymount.router({ environment: 'live' }));
      },
      paymount: { processors: { live: new LiveBank(fakeClock()) } },
    });
    routes = await documentedRoutes(`${app.url}/test/v1/openapi.json`);
    const other = await makeAccount(app.paymount, 'Another shop');
    tenants = [];
    for (const account of [app.account, other]) {
      for (const environment of ['test', 'live'] as const) {
        tenants = [...tenants, await tenantOf(account, environment)];
      }
    }
    await app.worker.drain();
  });
  after(() => app.close());

  async function tenantOf(account: TestApp['account'], environment: Environment): Promise<Tenant> {
    const url = `${app.url}/${environment}`;
    const { secret: key } = await makeKey(app.paymount, account, { environment });
    const { id: spareKey } = await makeKey(app.paymount, account, { environment });
    const own = await makeBelongings({ url, key, spareKey, environment });
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

  function send(route: DocumentedRoute, { url, key }: Tenant, path: string, form = '') {
    const { method } = route;
    if (method === 'GET') {
      return ask(`${url}${path}${form === '' ? '' : `?${form}`}`, { key });
    }
    return ask(url + path, { method, key, headers: FORM, body: form });
  }

  /** The path of a route for what the asking tenant has itself. */
  function ownPath(route: DocumentedRoute, { own }: Tenant): string {
    return toRow(route).of === undefined ? route.path : pathTo(route, own);
  }

  it('is answered, on every route with an id, as one that never was', async () => {
    const before = await tableContents(app.databaseUrl);
    let asked = 0;
    for (const { stranger, owner, who } of encounters()) {
      for (const route of routes.filter(({ name }) => name.includes('{'))) {
        const { of, form } = toRow(route);
        // Of a route that names no kind that there is, all are asked.
        const ids = of ? [owner.own[of]] : (Object.values(owner.own) as string[]);
        for (const id of ids) {
          if (id === undefined) continue;
          const answers = [id, never(id)].map(async (each) => {
            const path = pathTo(route, { ...owner.own, [of ?? 'charge']: each });
            return send(route, stranger, path, form?.(stranger.own));
          });
          const [foreign, unknown] = await Promise.all(answers);
          if (foreign === undefined || unknown === undefined) throw new Error('Two were asked.');
          const what = `${who}: ${route.name} ${foreign.text}`;
          const isChecked = V1_ROUTES[route.name] !== undefined || !route.demandsInput;
          expect(foreign.status, what).to.equal(isChecked ? 404 : 400);
          if (isChecked) expect(foreign.error['code'], what).to.equal('resource_missing');
          expect(seen(foreign, id), what).to.deep.equal(seen(unknown, never(id)));
          asked += 1;
        }
      }
    }
    expect(asked).to.be.at.least(12 * 15);
    expect(await tableContents(app.databaseUrl)).to.deep.equal(before);
  });

  it('is answered as one that never was where a parameter names it', async () => {
    const before = await tableContents(app.databaseUrl);
    for (const { stranger, owner, who } of encounters()) {
      for (const [parameter, { of, with: more = '', status }] of Object.entries(ID_PARAMETERS)) {
        const at = parameter.lastIndexOf(' ');
        const route = routes.find(({ name }) => name === parameter.slice(0, at));
        if (route === undefined) throw new Error(`${parameter} belongs to no route.`);
        const path = ownPath(route, stranger);
        for (const kind of of) {
          const id = owner.own[kind];
          if (id === undefined) continue;
          const ask = (each: string): Promise<Reply> => {
            const form = [more, `${parameter.slice(at + 1)}=${each}`].filter(Boolean).join('&');
            return send(route, stranger, path, form);
          };
          const foreign = await ask(id);
          const what = `${who}: ${parameter} ${foreign.text}`;
          if (toRow(route).testOnly && stranger.environment === 'live') {
            expect(foreign.error, what).to.include({ code: 'test_mode_only' });
            continue;
          }
          if (route.method === 'GET') expect(foreign.json['data'], what).to.deep.equal([]);
          else expect(foreign.error, what).to.include({ code: 'resource_missing' });
          expect(foreign.status, what).to.equal(route.method === 'GET' ? 200 : (status ?? 400));
          expect(seen(foreign, id), what).to.deep.equal(seen(await ask(never(id)), never(id)));
        }
      }
    }
    expect(await tableContents(app.databaseUrl)).to.deep.equal(before);
  });

  it('is answered as one that never was where a cursor names it', async () => {
    for (const { stranger, owner, who } of encounters()) {
      for (const [name, kind] of Object.entries(LISTS)) {
        const route = routes.find((each) => each.name === name);
        if (route === undefined) throw new Error(`${name} is not served.`);
        for (const cursor of ['starting_after', 'ending_before']) {
          const id = owner.own[kind] ?? '';
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
      const foreign = Object.values(owner.own) as string[];
      for (const route of routes) {
        const { name, method, parameters, demandsInput } = route;
        if (method !== 'GET' || name.includes('{') || demandsInput) continue;
        const limit = parameters.some((parameter) => parameter.name === 'limit') ? 'limit=100' : '';
        const url = `${stranger.url}${name.slice('GET '.length)}?${limit}`;
        const { text, status } = await ask(url, stranger);
        const isRefused = toRow(route).testOnly === true && stranger.environment === 'live';
        expect(status, `${who}: ${name}`).to.equal(isRefused ? 400 : 200);
        for (const id of foreign) expect(text, `${who}: ${name}`).to.not.include(id);
      }
    }
  });

  it('is in nothing that is expanded', async () => {
    for (const { stranger, owner, who } of encounters()) {
      const foreign = Object.values(owner.own) as string[];
      for (const [path, fields] of [
        [`charges/${stranger.own.charge}`, ['payment_method', 'balance_transaction', 'refunds']],
        ['charges', ['data.payment_method', 'data.refunds.data.charge']],
        [`refunds/${stranger.own.refund}`, ['charge.refunds', 'balance_transaction.source']],
        [`balance_transactions/${stranger.own.line}`, ['source.refunds']],
      ] as const) {
        const query = fields.map((field) => `expand[]=${field}`).join('&');
        const reply = await ask(`${stranger.url}/v1/${path}?${query}`, stranger);
        expect(reply.status, reply.text).to.equal(200);
        for (const id of foreign) expect(reply.text, `${who}: ${path}`).to.not.include(id);
      }
    }
  });

  it('is named by no parameter that these tests do not know', () => {
    for (const route of routes) {
      for (const { name, isText } of route.parameters) {
        const isCursor = ['starting_after', 'ending_before'].includes(name);
        const known = isCursor ? LISTS[route.name] : ID_PARAMETERS[`${route.name} ${name}`];
        const last = name.replace(/^.*\[(\w+)\]/, '$1');
        const isPlain = !isText || PLAIN_TEXTS.has(last);
        expect(isPlain || known !== undefined, `${route.name} ${name}: does it name an object?`).to
          .be.true;
      }
    }
    expect(routes.map(({ name }) => name)).to.have.members(Object.keys(V1_ROUTES));
    const lists = routes.filter(({ parameters }) =>
      parameters.some(({ name }) => name === 'starting_after'),
    );
    expect(lists.map(({ name }) => name)).to.have.members(Object.keys(LISTS));
  });
});
