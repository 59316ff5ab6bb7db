import { expect } from 'chai';
import { type Ask, JSON_TYPE, type Reply } from '../support/ask.ts';
import { MULTIPART, PARTS, UNREAD_BODIES } from '../support/broken-bodies.ts';
import { brokenQueries, brokenRequests, expectRefused } from '../support/broken-requests.ts';
import { DOCUMENTS, type Operation } from '../support/documents.ts';
import { askEndlessly } from '../support/endless-body.ts';
import { tableContents } from '../support/table-contents.ts';
import { MOUNT } from './dashboard-stage.ts';
import { DASHBOARD_ROUTES, type DashboardRoute, pathTo, WRITES } from './dashboard-table.ts';
import { type StagedDashboard, startStagedDashboard } from './staged-dashboard.ts';

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

  it('is refused: a body of a read, and a query of a write', async () => {
    for (const route of DASHBOARD_ROUTES) {
      const { name: what, method } = route;
      if (method === 'GET') {
        for (const sent of UNREAD_BODIES) {
          const reply = await send(route, sent);
          expectRefused(reply, { what, status: 400, code: 'parameter_invalid' });
        }
        continue;
      }
      const reply = await send(route, { headers: JSON_TYPE, body: '{}' }, '?no_such=x');
      expectRefused(reply, { what, status: 400, code: 'parameter_unknown', param: 'no_such' });
    }
  });

  it('is refused: a body that never ends', async () => {
    for (const route of WRITES) {
      const { name: what, method } = route;
      const url = `${stage.url}${MOUNT}${addressOf(route)}`;
      const json = { method, headers: { ...session(), ...JSON_TYPE } };
      const large = { what, status: 413, code: 'body_too_large' };
      expectRefused(await askEndlessly(url, ENDLESS, json), large);
      const parts = { method, headers: { ...session(), ...MULTIPART } };
      const unread = { what, status: 415, code: 'unsupported_content_type' };
      expectRefused(await askEndlessly(url, PARTS, parts), unread);
    }
    expect(await tableContents(stage.databaseUrl)).to.deep.equal(contents);
  });

  for (const [code, ids] of Object.entries(NO_IDS)) {
    it(`is answered 404 ${code}: a text in a path that is no id`, async () => {
      for (const route of DASHBOARD_ROUTES) {
        if (route.of === undefined) continue;
        const body = JSON.stringify(route.body(stage.own.test, false));
        for (const id of ids) {
          const sent = route.method === 'GET' ? {} : { headers: JSON_TYPE, body };
          const reply = await send({ ...route, pattern: route.pattern.replace('{id}', id) }, sent);
          expectRefused(reply, { what: `${route.name}: ${id}`, status: 404, code });
        }
      }
      expect(await tableContents(stage.databaseUrl)).to.deep.equal(contents);
    });
  }

  it('is refused by name: a text that is no id', async () => {
    for (const route of DASHBOARD_ROUTES) {
      const isRead = route.method === 'GET';
      for (const { name, with: others } of route.ids) {
        // These filters name an object of any kind, and nothing is about this one.
        if (isRead && ['object_id', 'source', 'target'].includes(name)) continue;
        const body = { ...(others ?? route.body(stage.own.test, false)), [name]: 'nothing' };
        const reply = await (isRead
          ? send(route, {}, `?${name}=nothing`)
          : send(route, { headers: JSON_TYPE, body: JSON.stringify(body) }));
        const isForm = isRead && route.pattern.startsWith('/deliveries') && name !== 'account';
        const code = isForm ? 'parameter_invalid' : 'resource_missing';
        const status = !isRead && ['endpoint', 'to'].includes(name) ? 404 : 400;
        expectRefused(reply, { what: `${route.name} ${name}`, status, code, param: name });
      }
    }
    expect(await tableContents(stage.databaseUrl)).to.deep.equal(contents);
  });

  it('is refused: an idempotency key that is none', async () => {
    for (const route of WRITES) {
      const body = JSON.stringify(route.body(stage.own.test, false));
      for (const key of ['', 'a'.repeat(256), 'é', 'a b\tc', ['a', 'b']]) {
        const reply = await send(route, {
          headers: { ...JSON_TYPE, 'idempotency-key': key },
          body,
        });
        const found = [reply.status, reply.error['code']];
        expect(found, `${route.name}: ${key}`).to.deep.equal([400, 'idempotency_key_invalid']);
      }
    }
    expect(await tableContents(stage.databaseUrl)).to.deep.equal(contents);
  });

  async function refuse(route: DashboardRoute): Promise<void> {
    const operation = operationOf(route);
    if (route.method === 'GET') {
      for (const each of brokenQueries(DOCUMENT, operation, {})) {
        expectRefused(await send(route, {}, `?${each.body}`), each);
      }
      return;
    }
    for (const each of brokenRequests(DOCUMENT, operation, route.body(stage.own.test, false))) {
      // It keeps what a service refuses; what is no request is not kept.
      const isKept = each.code === 'metadata_limit_exceeded';
      const key = isKept ? {} : { 'idempotency-key': 'one-key-for-all' };
      const { body } = each;
      expectRefused(await send(route, { headers: { ...each.headers, ...key }, body }), each);
    }
  }

  /** As a page of the dashboard sends it. */
  function send(route: DashboardRoute, { headers, body }: Ask, query = ''): Promise<Reply> {
    return stage.open(addressOf(route) + query, {
      method: route.method,
      headers: { ...session(), ...headers },
      ...(body === undefined ? {} : { body }),
    });
  }

  function session(): Record<string, string> {
    return { cookie: owner, 'paymount-csrf': '1' };
  }

  function addressOf(route: DashboardRoute): string {
    return `/api/${stage.account}/test${pathTo(route, stage.own.test)}`;
  }
});

function operationOf({ name, method, pattern }: DashboardRoute): Operation {
  const operation = DOCUMENT.paths[pattern]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`The document has no ${name}.`);
  return operation;
}
