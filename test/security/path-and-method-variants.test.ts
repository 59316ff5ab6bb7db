import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { type Ask, ask, FORM, JSON_TYPE, postForm, postJson } from '../support/ask.ts';
import { connectTwo } from '../support/connect-platform.ts';
import { makeKey } from '../support/credentials.ts';
import { ofToday } from '../support/depth.ts';
import { formText } from '../support/form-text.ts';
import { type Belongings, makeBelongings } from '../support/owned-objects.ts';
import { fillPattern, pathTo, type V1Route } from '../support/route-row.ts';
import { V1_ROUTES } from '../support/route-table.ts';
import { itWritesNothing } from '../support/writes-nothing.ts';
import { askRaw, type RawAnswer } from './raw-request.ts';

/** Headers by which some frameworks take another method than the one of the request. */
const OVERRIDES = ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override', 'X-Method'];

/** Other ways to write a path; some servers take them for the same. */
const SPELLINGS: Readonly<Record<string, (path: string) => string>> = {
  'with a slash at the end': (path) => `${path}/`,
  'with two slashes': (path) => path.replace(/\/(?=[^/]+$)/, '//'),
  'with two slashes in front': (path) => `/${path}`,
  'in capitals': (path) => path.toUpperCase(),
  'in capitals after its version': (path) => `/v1${path.slice(3).toUpperCase()}`,
  'with a capital for its version': (path) => path.replace('/v1/', '/V1/'),
  'with one capital': (path) => path.replace(/(?<=\/v1\/)./, (first) => first.toUpperCase()),
  'with %2f for a slash': (path) => path.replace(/\/(?=[^/]+$)/, '%2f'),
  'with %5c for a slash': (path) => path.replace(/\/(?=[^/]+$)/, '%5c'),
  'with a backslash for a slash': (path) => path.replace(/\/(?=[^/]+$)/, '\\'),
  'with a letter percent-encoded': (path) => path.replace('/v1/', '/%76%31/'),
  'with a dot segment': (path) => path.replace('/v1/', '/v1/./'),
  'with a double dot segment': (path) => path.replace('/v1/', '/v1/x/../'),
  'with %2e%2e': (path) => path.replace('/v1/', '/v1/x/%2e%2e/'),
  'with %2e%2e%2f': (path) => path.replace('/v1/', '/v1/x/%2e%2e%2f'),
  'with a path parameter': (path) => `${path};a=b`,
  'with a NUL at the end': (path) => `${path}%00`,
  'with a space at the end': (path) => `${path}%20`,
  'with a line break at the end': (path) => `${path}%0d%0aX-A:%20b`,
  'with .json at the end': (path) => `${path}.json`,
  'with a star': (path) => `${path}/*`,
};

const METHODS = ['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'TRACE', 'PROPFIND', 'MKCOL', 'PURGE'];

/** The daily run takes a seventh of the spellings and of the methods with each path. */
describe('another form of a path or a method', function () {
  this.timeout(30_000);
  let app: TestApp;
  let own: Belongings;
  let key: Ask;

  before(async () => {
    app = await startApp();
    const { paymount, account, url, secretKey } = app;
    key = { key: secretKey };
    const { id: spareKey } = await makeKey(paymount, account);
    const applications = await connectTwo(paymount, account);
    own = await makeBelongings({ url, key: secretKey, spareKey, app, applications });
    await app.worker.drain();
  });
  after(() => app.close());

  const pathOf = (route: V1Route): string => pathTo(route, own);

  /** The request that would do the work of the route, by any method and to any target. */
  function askAs(
    route: V1Route,
    { method = route.method, target = pathOf(route), lines = [] as readonly string[] },
  ): Promise<RawAnswer> {
    const hasBody = route.method !== 'GET' && method !== 'HEAD';
    const body = hasBody ? formText(route.body?.(own, false) ?? {}) : '';
    return askRaw(app.port, `${method} ${target}`, {
      lines: [
        `Authorization: Bearer ${app.secretKey}`,
        `Content-Type: ${FORM['content-type']}`,
        `Content-Length: ${body.length}`,
        ...lines,
      ],
      body,
    });
  }

  describe('finds no route for another spelling of a path', () => {
    for (const [index, route] of V1_ROUTES.entries()) {
      it(route.name, async () => {
        for (const [how, spell] of ofToday(Object.entries(SPELLINGS), index)) {
          const target = spell(pathOf(route));
          expect(target).to.not.equal(pathOf(route));
          const { status, text } = await askAs(route, { target });
          // Where an id belongs, any text is an id, which names nothing.
          const isId = /"code":"(?:resource_missing|parameter_\w+)"/.test(text);
          expect(status, `${how}: ${target} ${text}`).to.be.oneOf(
            isId ? ['404', '400'] : ['404', '405'],
          );
          expect(text).to.not.match(/^X-A:/im);
        }
      });
    }
    itWritesNothing(() => app.databaseUrl);
  });

  describe('of one route', () => {
    it('answers a target in absolute form as the path in it', async () => {
      const absolute = await ask(`${app.url}/v1/charges/${own.charge}`, key);
      for (const host of ['shop', 'evil.example', 'user@shop:1']) {
        const lines = [`Authorization: Bearer ${app.secretKey}`];
        const target = `http://${host}/v1/charges/${own.charge}`;
        const { status, text } = await askRaw(app.port, `GET ${target}`, { lines });
        expect(status, text).to.equal('200');
        expect(text).to.include(absolute.text);
        expect(text).to.not.include(host);
      }
    });

    it('takes the method of the request, whatever headers, query or body say', async () => {
      const url = `${app.url}/v1/webhook_endpoints/${own.deletable}`;
      for (const name of OVERRIDES) {
        const headers = { [name]: 'DELETE' };
        const got = await ask(url, { ...key, headers });
        expect([got.status, got.json['id']]).to.deep.equal([200, own.deletable]);
        const posted = await postForm(url, 'url=x', { ...key, headers });
        expect([posted.status, posted.error['param']], posted.text).to.deep.equal([400, 'url']);
      }
      for (const [reply, param] of [
        [await ask(`${url}?_method=DELETE`, key), '_method'],
        [await postForm(url, '_method=DELETE', key), '_method'],
        [await postJson(url, { _method: 'DELETE' }, key), '_method'],
        [await postForm(`${url}?_method=DELETE`, '', key), '_method'],
      ] as const) {
        expect([reply.status, reply.error['code'], reply.error['param']]).to.deep.equal([
          400,
          'parameter_unknown',
          param,
        ]);
      }
    });

    it('takes methods in capitals alone', async () => {
      for (const method of ['get', 'Get', 'post', 'Delete']) {
        const lines = [`Authorization: Bearer ${app.secretKey}`];
        const { status } = await askRaw(app.port, `${method} /v1/charges`, { lines });
        expect(status, method).to.equal('400');
      }
    });
    itWritesNothing(() => app.databaseUrl);
  });

  describe('answers 405 to a method that no route of the path takes, naming those that do', () => {
    const patterns = new Set(V1_ROUTES.map(({ pattern }) => pattern));
    for (const [index, pattern] of [...patterns].entries()) {
      const routes = V1_ROUTES.filter((route) => route.pattern === pattern);
      const taken = routes.map(({ method }) => method);
      const others = METHODS.filter((method) => !taken.includes(method));
      it(pattern, async () => {
        for (const method of ofToday(others, index)) {
          const url = app.url + fillPattern(pattern, own.charge, own);
          const reply = await ask(url, { ...key, method, headers: JSON_TYPE });
          const what = `${method}: ${reply.text}`;
          expect([reply.status, reply.error['code']], what).to.deep.equal([
            405,
            'method_not_allowed',
          ]);
          const allowed = [...taken, ...(taken.includes('GET') ? ['HEAD'] : [])];
          expect(String(reply.headers['allow']).split(', '), what).to.have.members(allowed);
          expect(reply.error['type'], what).to.equal('invalid_request_error');
          expect(reply.error['message'], what).to.match(/^\/v1\/[:/a-z_]+ takes [A-Z, ]+\.$/);
        }
      });
    }
    itWritesNothing(() => app.databaseUrl);
  });

  describe('answers HEAD as GET, without a body and without the work of another method', () => {
    for (const route of V1_ROUTES) {
      it(route.name, async () => {
        const head = await askAs(route, { method: 'HEAD' });
        const [, body] = head.text.split('\r\n\r\n');
        expect(body).to.equal('');
        const read = V1_ROUTES.find(({ name }) => name === `GET ${route.pattern}`);
        const answer = route.query || read?.query === undefined ? '200' : '400';
        expect(head.status).to.equal(read === undefined ? '405' : answer);
      });
    }
    it('with the length of the body', async () => {
      const full = await ask(`${app.url}/v1/charges/${own.charge}`, key);
      const head = await ask(`${app.url}/v1/charges/${own.charge}`, { ...key, method: 'HEAD' });
      expect(head.headers['content-length']).to.equal(String(Buffer.byteLength(full.text)));
    });
    it('and refuses it as GET', async () => {
      for (const [credential, status] of [
        [`Bearer ${app.publishableKey}`, '403'],
        ['Bearer nobody', '401'],
      ]) {
        const lines = [`Authorization: ${credential}`];
        expect((await askRaw(app.port, 'HEAD /v1/charges', { lines })).status).to.equal(status);
      }
    });
    itWritesNothing(() => app.databaseUrl);
  });

  describe('answers OPTIONS without a key only where browsers tokenize, and then says nothing else', () => {
    for (const { name, method, path } of V1_ROUTES) {
      it(name, async () => {
        const headers = { origin: 'https://shop.example', 'access-control-request-method': 'POST' };
        const reply = await ask(app.url + path, { key: '', method: 'OPTIONS', headers });
        const isOpen = V1_ROUTES.some((route) => route.path === path && route.publishable === true);
        expect(reply.status).to.equal(isOpen ? 204 : 405);
        const origin = reply.headers['access-control-allow-origin'];
        expect(origin).to.equal(isOpen ? '*' : undefined);
        expect(reply.headers['access-control-allow-credentials']).to.equal(undefined);
        if (isOpen) {
          expect(reply.headers['access-control-allow-headers']).to.include('Authorization');
        }
        // A page may read the refusal where it may send the request.
        const refused = await ask(app.url + path, { key: '', method });
        expect(refused.status).to.equal(401);
        const mayRead = isOpen && method === 'POST' ? '*' : undefined;
        expect(refused.headers['access-control-allow-origin']).to.equal(mayRead);
      });
    }
    itWritesNothing(() => app.databaseUrl);
  });
});
