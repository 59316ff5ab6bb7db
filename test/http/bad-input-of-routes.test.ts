import { startApp, type TestApp } from '../support/app.ts';
import { ask, postForm, type Reply } from '../support/ask.ts';
import { brokenQueries, brokenRequests, expectRefused } from '../support/broken-requests.ts';
import { connectTwo } from '../support/connect-platform.ts';
import { makeKey } from '../support/credentials.ts';
import { ofToday } from '../support/depth.ts';
import { DOCUMENTS, type Operation } from '../support/documents.ts';
import { formText } from '../support/form-text.ts';
import { type Belongings, makeBelongings } from '../support/owned-objects.ts';
import { inForm, pathTo, sentWith, type V1Route } from '../support/route-row.ts';
import { V1_ROUTES } from '../support/route-table.ts';
import { itWritesNothing } from '../support/writes-nothing.ts';

const DOCUMENT = DOCUMENTS.api;

/** The daily run sends a seventh of the broken requests of each route. */
describe('bad input to a route of /v1', function () {
  this.timeout(120_000);
  let app: TestApp;
  let own: Belongings;

  before(async () => {
    app = await startApp();
    const { account, paymount, worker, url } = app;
    const { id: spareKey, secret: key } = await makeKey(paymount, account, { environment: 'test' });
    const applications = await connectTwo(paymount, account, 'test');
    own = await makeBelongings({ url, key, spareKey, app, applications });
    await worker.drain();
  });
  after(() => app.close());

  describe('is refused by name', () => {
    for (const [index, route] of V1_ROUTES.entries()) {
      const refuse = route.method === 'GET' ? refuseQueries : refuseBodies;
      it(route.name, () => refuse(route, index));
    }
    itWritesNothing(() => app.databaseUrl);
  });

  describe('is refused by name: a text that is no id', () => {
    for (const route of V1_ROUTES) {
      for (const [name, { status = 400, ...parameter }] of Object.entries(route.ids ?? {})) {
        const isRead = route.method === 'GET';
        // These filters name an object of any kind, and nothing is about this one.
        if (isRead && (name === 'source' || name === 'object_id')) continue;
        it(`${route.name} ${name}`, async () => {
          const form = [formText(sentWith(parameter, own)), `${inForm(name)}=nothing`]
            .filter(Boolean)
            .join('&');
          const path = pathOf(route).replace(/\?.*/, '');
          const reply = await sendForm(route.method, path, form);
          const code = path.startsWith('/v1/deliveries') ? 'parameter_invalid' : 'resource_missing';
          expectRefused(reply, { what: name, status, code, param: inForm(name) });
        });
      }
    }
    itWritesNothing(() => app.databaseUrl);
  });

  describe('is refused: an expansion of nothing', () => {
    for (const route of V1_ROUTES) {
      it(route.name, async () => {
        const reply = await sendForm(route.method, pathOf(route), 'expand[]=nothing');
        const fault = { status: 400, code: 'expand_invalid', param: 'expand' };
        expectRefused(reply, { what: route.name, ...fault });
      });
    }
    itWritesNothing(() => app.databaseUrl);
  });

  function sendForm(method: string, path: string, form: string): Promise<Reply> {
    const { secretKey: key, url } = app;
    if (method !== 'GET') return postForm(url + path, form, { key, method });
    return ask(`${url}${path}${path.includes('?') ? '&' : '?'}${form}`, { key });
  }

  async function refuseBodies(route: V1Route, index: number): Promise<void> {
    const { method, body } = route;
    const broken = brokenRequests(DOCUMENT, operationOf(route), body?.(own, false) ?? {});
    for (const each of ofToday(broken, index)) {
      // It keeps what a service refuses; what is no request is not kept.
      const isKept = each.code === 'metadata_limit_exceeded';
      const headers = isKept ? {} : { 'idempotency-key': 'one-key-for-all' };
      const reply = await ask(app.url + pathOf(route), {
        method,
        key: app.secretKey,
        headers: { ...each.headers, ...headers },
        body: each.body,
      });
      expectRefused(reply, each);
    }
  }

  async function refuseQueries(route: V1Route, index: number): Promise<void> {
    const [path = '', needed = ''] = pathOf(route).split('?');
    const good = Object.fromEntries(new URLSearchParams(needed));
    const url = app.url + path;
    for (const each of ofToday(brokenQueries(DOCUMENT, operationOf(route), good), index)) {
      expectRefused(await ask(`${url}?${each.body}`, { key: app.secretKey }), each);
    }
  }

  function pathOf(route: V1Route): string {
    return route.of === undefined && route.query === undefined ? route.path : pathTo(route, own);
  }
});

function operationOf({ name, method, pattern }: V1Route): Operation {
  const operation = DOCUMENT.paths[pattern]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`The document has no ${name}.`);
  return operation;
}
