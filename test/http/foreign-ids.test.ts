import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, FORM, foundIn, type Reply } from '../support/ask.ts';
import { fakeClock } from '../support/clock.ts';
import { connectTwo } from '../support/connect-platform.ts';
import { makeAccount, makeKey } from '../support/credentials.ts';
import { ofToday } from '../support/depth.ts';
import { documentedRoutes } from '../support/documented-routes.ts';
import { formText } from '../support/form-text.ts';
import { LiveBank } from '../support/live-bank.ts';
import { type Belongings, makeBelongings } from '../support/owned-objects.ts';
import { PLAIN_TEXTS } from '../support/plain-texts.ts';
import { inForm, pathTo, sentWith, type V1Route } from '../support/route-row.ts';
import { V1_ROUTES } from '../support/route-table.ts';
import { itWritesNothing } from '../support/writes-nothing.ts';

type Environment = 'live' | 'test';

/** One account in one environment, with a secret key and an object of every kind. */
interface Tenant {
  readonly name: string;
  readonly environment: Environment;
  readonly url: string;
  readonly key: string;
  readonly own: Belongings;
}

/** Somebody who asks, and somebody else whose objects are asked for. */
interface Encounter {
  readonly stranger: Tenant;
  readonly owner: Tenant;
  readonly who: string;
}

/** Reads below `/v1`, with the kind of an object in braces, and what is expanded in them. */
const EXPANDED: readonly [path: string, fields: readonly string[]][] = [
  ['charges/{charge}', ['payment_method', 'balance_transaction', 'refunds']],
  ['charges', ['data.payment_method', 'data.refunds.data.charge']],
  ['refunds/{refund}', ['charge.refunds', 'balance_transaction.source']],
  ['balance_transactions/{line}', ['source.refunds']],
  ['payouts/{payout}', ['destination', 'balance_transaction.source']],
  ['invoices/{issued}', ['customer', 'charge.payment_method', 'default_payment_method']],
  ['invoiceitems', ['data.invoice', 'data.customer', 'data.price']],
];

/** An id of the same form that was never made. */
const never = (id: string): string => `${id.slice(0, -4)}zzzz`;

/** The daily run takes a seventh of the encounters with each route. */
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
      app,
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
  function encounters(): readonly Encounter[] {
    return tenants.flatMap((stranger) =>
      tenants
        .filter((owner) => owner !== stranger)
        .map((owner) => {
          const who = `${stranger.name} asks for what is ${owner.name}`;
          return { stranger, owner, who };
        }),
    );
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

  /** Whether the route is for tests, and the stranger asks in live. */
  const isRefused = (route: V1Route, { environment }: Tenant): boolean =>
    route.testOnly === true && environment === 'live';

  describe('is answered, on every route with an id, as one that never was', () => {
    for (const [index, route] of V1_ROUTES.entries()) {
      const { name, of, body } = route;
      if (of === undefined) continue;
      it(name, async () => {
        const met = encounters().filter(
          ({ stranger, owner }) =>
            owner.own[of] !== undefined &&
            // An account is the same in both environments.
            (of !== 'account' || stranger.own.account !== owner.own.account),
        );
        expect(met, 'tenants that have such an object, and others').to.not.be.empty;
        for (const { stranger, owner, who } of ofToday(met, index)) {
          const id = owner.own[of] ?? '';
          const asked = async (each: string): Promise<Reply> => {
            const path = pathTo(route, { ...owner.own, [of]: each });
            return send(route, stranger, path, formText(body?.(stranger.own, false) ?? {}));
          };
          const [foreign, unknown] = await Promise.all([asked(id), asked(never(id))]);
          const what = `${who}: ${foreign.text}`;
          expect([foreign.status, foreign.error['code']], what).to.deep.equal(
            isRefused(route, stranger) ? [400, 'test_mode_only'] : [404, 'resource_missing'],
          );
          expect(seen(foreign, id), what).to.deep.equal(seen(unknown, never(id)));
        }
      });
    }
    itWritesNothing(() => app.databaseUrl);
  });

  describe('is answered as one that never was where a parameter names it', () => {
    /** Each parameter that names an object, with its route and each kind of object. */
    const parameters = V1_ROUTES.flatMap((route) =>
      Object.entries(route.ids ?? {}).flatMap(([name, { of, ...parameter }]) =>
        of.map((kind) => ({ route, name, kind, ...parameter })),
      ),
    );
    for (const [index, { route, name, kind, status, ...parameter }] of parameters.entries()) {
      it(`${route.name} ${name}: ${kind}`, async () => {
        const met = encounters().filter(
          ({ stranger, owner }) =>
            owner.own[kind] !== undefined &&
            (route.of === undefined || stranger.own[route.of] !== undefined),
        );
        for (const { stranger, owner, who } of ofToday(met, index)) {
          const id = owner.own[kind] ?? '';
          const path = withoutQuery(ownPath(route, stranger));
          const asked = (each: string): Promise<Reply> => {
            const form = [formText(sentWith(parameter, stranger.own)), `${inForm(name)}=${each}`]
              .filter(Boolean)
              .join('&');
            return send(route, stranger, path, form);
          };
          const foreign = await asked(id);
          const what = `${who}: ${foreign.text}`;
          if (isRefused(route, stranger)) {
            expect(foreign.error, what).to.include({ code: 'test_mode_only' });
            continue;
          }
          const isEmptyList = route.method === 'GET' && status === undefined;
          if (isEmptyList) expect(foundIn(foreign), what).to.deep.equal([]);
          else expect(foreign.error, what).to.include({ code: 'resource_missing' });
          expect(foreign.status, what).to.equal(isEmptyList ? 200 : (status ?? 400));
          expect(seen(foreign, id), what).to.deep.equal(seen(await asked(never(id)), never(id)));
        }
      });
    }
    itWritesNothing(() => app.databaseUrl);
  });

  describe('is answered as one that never was where a cursor names it', () => {
    for (const [index, route] of V1_ROUTES.entries()) {
      const { name, lists } = route;
      if (lists === undefined) continue;
      it(name, async () => {
        const met = encounters().filter(
          ({ stranger, owner }) => owner.own[lists] !== undefined && !isRefused(route, stranger),
        );
        for (const { stranger, owner, who } of ofToday(met, index)) {
          const id = owner.own[lists] ?? '';
          const path = ownPath(route, stranger);
          for (const cursor of ['starting_after', 'ending_before']) {
            const foreign = await send(route, stranger, path, `${cursor}=${id}`);
            const unknown = await send(route, stranger, path, `${cursor}=${never(id)}`);
            const what = `${who}: ${cursor} ${foreign.text}`;
            const { status, error } = foreign;
            expect([status, error['code'], error['param']], what).to.deep.equal([
              400,
              'invalid_cursor',
              cursor,
            ]);
            expect(seen(foreign, id), what).to.deep.equal(seen(unknown, never(id)));
          }
        }
      });
    }
  });

  describe('is in no list', () => {
    for (const [index, route] of V1_ROUTES.entries()) {
      const { name, method, lists } = route;
      if (method !== 'GET' || name.includes('{')) continue;
      it(name, async () => {
        const limit = lists === undefined ? '' : 'limit=100';
        for (const { stranger, owner, who } of ofToday(encounters(), index)) {
          const { text, status } = await send(route, stranger, ownPath(route, stranger), limit);
          expect(status, who).to.equal(isRefused(route, stranger) ? 400 : 200);
          for (const id of idsOf(owner, stranger)) expect(text, who).to.not.include(id);
        }
      });
    }
  });

  describe('is in nothing that is expanded', () => {
    for (const [index, [path, fields]] of EXPANDED.entries()) {
      it(`GET /v1/${path}: ${fields.join(', ')}`, async () => {
        const query = fields.map((field) => `expand[]=${field}`).join('&');
        for (const { stranger, owner, who } of ofToday(encounters(), index)) {
          const own = path.replace(
            /\{(\w+)\}/,
            (_, kind: keyof Belongings) => stranger.own[kind] ?? '',
          );
          const reply = await ask(`${stranger.url}/v1/${own}?${query}`, stranger);
          expect(reply.status, reply.text).to.equal(200);
          for (const id of idsOf(owner, stranger)) expect(reply.text, who).to.not.include(id);
        }
      });
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
