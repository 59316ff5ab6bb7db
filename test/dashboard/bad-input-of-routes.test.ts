import { expect } from 'chai';
import { type Ask, JSON_TYPE, type Reply } from '../support/ask.ts';
import { MULTIPART, PARTS, UNREAD_BODIES } from '../support/broken-bodies.ts';
import { brokenQueries, brokenRequests, expectRefused } from '../support/broken-requests.ts';
import { ofToday } from '../support/depth.ts';
import { DOCUMENTS, type Operation } from '../support/documents.ts';
import { askEndlessly } from '../support/endless-body.ts';
import { itWritesNothing } from '../support/writes-nothing.ts';
import { MOUNT } from './dashboard-setup.ts';
import { DASHBOARD_ROUTES, type DashboardRoute, pathTo, WRITES } from './dashboard-table.ts';
import { type FullDashboard, startFullDashboard } from './full-dashboard.ts';

const DOCUMENT = DOCUMENTS.dashboard;
/** More than the limit, and what is read beyond it. */
const ENDLESS = `{"a":"${'a'.repeat(1_114_112)}`;
/** By how each is answered: those that are no text name no route. */
const NO_IDS = {
  resource_missing: [
    'none',
    '__proto__',
    '%00',
    '..%2f',
    "'%22",
    '%F0%9F%92%A9',
    '0'.repeat(4_000),
  ],
  route_missing: ['%ff', '%zz', '%', '%ed%a0%80'],
};
const NO_IDEMPOTENCY_KEYS = ['', 'a'.repeat(256), 'é', 'a b\tc', ['a', 'b']];

/** The daily run sends a seventh of each class of broken requests to each route. */
describe('bad input to a route of the dashboard', function () {
  this.timeout(120_000);
  let setup: FullDashboard;
  let owner: string;

  before(async () => {
    setup = await startFullDashboard();
    owner = setup.logIn('owner');
  });
  after(() => setup.close());

  describe('is refused by name', () => {
    for (const [index, route] of DASHBOARD_ROUTES.entries()) {
      it(route.name, () => refuse(route, index));
    }
    itWritesNothing(() => setup.databaseUrl);
  });

  describe('is refused: a body of a read, and a query of a write', () => {
    for (const [index, route] of DASHBOARD_ROUTES.entries()) {
      const { name: what, method } = route;
      it(what, async () => {
        if (method === 'GET') {
          for (const sent of ofToday(UNREAD_BODIES, index)) {
            const reply = await send(route, sent);
            expectRefused(reply, { what, status: 400, code: 'parameter_invalid' });
          }
          return;
        }
        const reply = await send(route, { headers: JSON_TYPE, body: '{}' }, '?no_such=x');
        expectRefused(reply, { what, status: 400, code: 'parameter_unknown', param: 'no_such' });
      });
    }
    itWritesNothing(() => setup.databaseUrl);
  });

  describe('is refused: a body that never ends', () => {
    const endless = [
      { type: JSON_TYPE, text: ENDLESS, status: 413, code: 'body_too_large' },
      { type: MULTIPART, text: PARTS, status: 415, code: 'unsupported_content_type' },
    ];
    for (const [index, route] of WRITES.entries()) {
      const { name: what, method } = route;
      it(what, async () => {
        const url = `${setup.url}${MOUNT}${addressOf(route)}`;
        for (const { type, text, ...refusal } of ofToday(endless, index)) {
          const headers = { ...session(), ...type };
          const reply = await askEndlessly(url, text, { method, headers });
          expectRefused(reply, { what, ...refusal });
        }
      });
    }
    itWritesNothing(() => setup.databaseUrl);
  });

  for (const [code, ids] of Object.entries(NO_IDS)) {
    describe(`is answered 404 ${code}: a text in a path that is no id`, () => {
      for (const [index, route] of DASHBOARD_ROUTES.entries()) {
        if (route.of === undefined) continue;
        it(route.name, async () => {
          const body = JSON.stringify(route.body(setup.own.test, false));
          for (const id of ofToday(ids, index)) {
            const sent = route.method === 'GET' ? {} : { headers: JSON_TYPE, body };
            const pattern = route.pattern.replace('{id}', id);
            expectRefused(await send({ ...route, pattern }, sent), { what: id, status: 404, code });
          }
        });
      }
      itWritesNothing(() => setup.databaseUrl);
    });
  }

  describe('is refused by name: a text that is no id', () => {
    for (const route of DASHBOARD_ROUTES) {
      const isRead = route.method === 'GET';
      for (const { name, with: others } of route.ids) {
        // These filters name an object of any kind, and nothing is about this one.
        if (isRead && ['object_id', 'source', 'target'].includes(name)) continue;
        it(`${route.name} ${name}`, async () => {
          const body = { ...(others ?? route.body(setup.own.test, false)), [name]: 'nothing' };
          const reply = await (isRead
            ? send(route, {}, `?${name}=nothing`)
            : send(route, { headers: JSON_TYPE, body: JSON.stringify(body) }));
          const isForm = isRead && route.pattern.startsWith('/deliveries') && name !== 'account';
          const code = isForm ? 'parameter_invalid' : 'resource_missing';
          const status = !isRead && ['endpoint', 'to'].includes(name) ? 404 : 400;
          expectRefused(reply, { what: name, status, code, param: name });
        });
      }
    }
    itWritesNothing(() => setup.databaseUrl);
  });

  describe('is refused: an idempotency key that is none', () => {
    for (const [index, route] of WRITES.entries()) {
      it(route.name, async () => {
        const body = JSON.stringify(route.body(setup.own.test, false));
        for (const key of ofToday(NO_IDEMPOTENCY_KEYS, index)) {
          const headers = { ...JSON_TYPE, 'idempotency-key': key };
          const { status, error } = await send(route, { headers, body });
          expect([status, error['code']], `${key}`).to.deep.equal([400, 'idempotency_key_invalid']);
        }
      });
    }
    itWritesNothing(() => setup.databaseUrl);
  });

  async function refuse(route: DashboardRoute, index: number): Promise<void> {
    const operation = operationOf(route);
    if (route.method === 'GET') {
      for (const each of ofToday(brokenQueries(DOCUMENT, operation, {}), index)) {
        expectRefused(await send(route, {}, `?${each.body}`), each);
      }
      return;
    }
    const broken = brokenRequests(DOCUMENT, operation, route.body(setup.own.test, false));
    for (const each of ofToday(broken, index)) {
      // It keeps what a service refuses; what is no request is not kept.
      const isKept = each.code === 'metadata_limit_exceeded';
      const key = isKept ? {} : { 'idempotency-key': 'one-key-for-all' };
      const { body } = each;
      expectRefused(await send(route, { headers: { ...each.headers, ...key }, body }), each);
    }
  }

  /** As a page of the dashboard sends it. */
  function send(route: DashboardRoute, { headers, body }: Ask, query = ''): Promise<Reply> {
    return setup.open(addressOf(route) + query, {
      method: route.method,
      headers: { ...session(), ...headers },
      ...(body === undefined ? {} : { body }),
    });
  }

  function session(): Record<string, string> {
    return { cookie: owner, 'paymount-csrf': '1' };
  }

  function addressOf(route: DashboardRoute): string {
    return `/api/${setup.account}/test${pathTo(route, setup.own.test)}`;
  }
});

function operationOf({ name, method, pattern }: DashboardRoute): Operation {
  const operation = DOCUMENT.paths[pattern]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`The document has no ${name}.`);
  return operation;
}
