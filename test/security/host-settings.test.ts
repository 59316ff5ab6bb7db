import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import express, { type Express, type RequestHandler } from 'express';
import express4 from 'express4';
import type { Paymount } from 'paymount';
import { startApp, type TestApp } from '../support/app.ts';
import { type Ask, ask, FORM, JSON_TYPE, type Reply } from '../support/ask.ts';
import { makeKey } from '../support/credentials.ts';
import { TOLD_OF_LEAKS, tableContents } from '../support/table-contents.ts';

type Framework = typeof express;
type Setting = (framework: Framework, paymount: Paymount) => Express;

const pass: RequestHandler = (_request, _response, next) => next();

/** What stands in front of many hosts' routes, and says who is asking, for what, from where. */
const meddle: RequestHandler = (request, _response, next) => {
  const told = {
    user: { id: 'somebody', roles: ['admin'] },
    session: { account: 'acct_00000000000000000000000000' },
    auth: { user: 'root', pass: '' },
    params: { id: 'ch_00000000000000000000000000' },
    query: { limit: '100', expand: ['x'] },
    // Nobody has read the stream.
    body: { amount: 1, currency: 'eur', payment_method: 'pm_card_visa' },
    ip: '10.0.0.1',
    ips: ['10.0.0.1'],
  };
  for (const [name, value] of Object.entries(told)) {
    Object.defineProperty(request, name, { value, configurable: true });
  }
  next();
};

/** It hears out who claims to forward, too. */
const mountIn = (app: Express, paymount: Paymount): Express =>
  app.use('/pay', paymount.router({ environment: 'test', requireTls: false }));

/** Hosts that differ in all that must not matter. */
const SETTINGS: Readonly<Record<string, Setting>> = {
  'parsers before it': (framework, paymount) => {
    const app = framework();
    app.use(framework.json(), framework.urlencoded({ extended: true }));
    return mountIn(app, paymount);
  },
  'parsers before it, the other way round and less able': (framework, paymount) => {
    const app = framework();
    app.use(framework.urlencoded({ extended: false }), framework.json({ limit: 1_000 }));
    return mountIn(app, paymount);
  },
  'parsers that keep raw bytes or text': (framework, paymount) => {
    const app = framework();
    app.use(framework.raw({ type: 'application/json' }), framework.text({ type: () => true }));
    return mountIn(app, paymount);
  },
  'parsers after it': (framework, paymount) => {
    const app = mountIn(framework(), paymount);
    return app.use(framework.json(), framework.urlencoded({ extended: true }), pass);
  },
  'every setting of the app turned': (framework, paymount) => {
    const app = framework();
    app.set('query parser', 'extended').set('trust proxy', true).set('etag', false);
    app.enable('case sensitive routing').enable('strict routing').disable('x-powered-by');
    return mountIn(app, paymount);
  },
  'middleware that says who is asking': (framework, paymount) => {
    const app = framework();
    app.use(meddle);
    return mountIn(app, paymount);
  },
};

describe('a host that reads bodies and turns settings as it likes', function () {
  this.timeout(30_000);
  let app: TestApp;
  let restricted: string;
  const servers: Server[] = [];
  const urls = new Map<string, string>();
  let contents: Record<string, string>;

  before(async () => {
    app = await startApp();
    const { paymount, account } = app;
    const facts = { type: 'restricted', scopes: ['charges:read'] } as const;
    restricted = (await makeKey(paymount, account, facts)).secret;
    urls.set('nothing else', await serve(mountIn(express(), paymount)));
    for (const [name, setting] of Object.entries(SETTINGS)) {
      for (const [version, framework] of [
        ['Express 5', express],
        ['Express 4', express4],
      ] as const) {
        urls.set(`${name}, ${version}`, await serve(setting(framework, paymount)));
      }
    }
    await app.worker.drain();
    contents = await tableContents(app.databaseUrl, TOLD_OF_LEAKS);
  });
  after(async () => {
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    }
    await app.close();
  });

  async function serve(host: Express): Promise<string> {
    const server = host.listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/pay`;
  }

  /** What is asked of each host; none of it is let through. */
  function requests(): readonly (Ask & { readonly path: string })[] {
    const key = app.secretKey;
    const charge = '{"amount":100,"currency":"eur","payment_method":"pm_card_visa"}';
    const path = '/v1/charges';
    const post = (body: string, more: Ask = {}) => ({
      ...more,
      path,
      method: 'POST',
      headers: { ...JSON_TYPE, ...more.headers },
      body,
    });
    return [
      post(charge, { key: '' }),
      post(charge, { key: 'nobody' }),
      post(charge, { key: restricted }),
      post(charge, { key: app.publishableKey }),
      post('{"amount":', { key: '' }),
      post('{"amount":', { key: restricted }),
      post('{"amount":', { key }),
      post('[]', { key }),
      post('"x"', { key }),
      post('{"amount":"1"}', { key }),
      post('{"__proto__":{"amount":1},"currency":"eur"}', { key }),
      post('{"constructor":{"prototype":{"admin":1}}}', { key }),
      post('{"amount":1,"account":"acct_1"}', { key }),
      post(`{"x":"${'y'.repeat(110_000)}"}`, { key }),
      post(`{"x":"${'y'.repeat(110_000)}"}`, { key: restricted }),
      { ...post('amount=1&amount=2', { key }), headers: FORM },
      { ...post('amount[$gt]=1', { key }), headers: FORM },
      { ...post('a[b][c][d][e][f][g][h][i]=1', { key }), headers: FORM },
      { ...post(charge, { key }), headers: { 'content-type': 'text/plain' } },
      { ...post(charge, { key }), headers: { ...JSON_TYPE, 'content-encoding': 'gzip' } },
      { path, key, headers: { 'x-http-method-override': 'DELETE' }, method: 'PUT' },
      { path: `${path}/`, key },
      { path: '/v1/Charges', key },
      { path: `${path}?expand[__proto__]=x`, key },
      { path: `${path}?limit=0&limit=1`, key },
      { path: `${path}?starting_after[$ne]=x`, key },
      { path: `${path}?created[gte]=1&created[gte][x]=1`, key },
      { path: `${path}?key=${key}`, key },
    ];
  }

  /** What stands for our limit where a parser of the app has a limit of its own. */
  const PARSER_LIMIT =
    "The body is larger than the limit of the app's own body parser; its operator can raise the parser's `limit`.";
  const OUR_LIMIT =
    'The body exceeds 512 KiB, or 102,400 characters; with a publishable key 128 KiB; a file 5 MB; a request to OAuth 16 KiB. Send less.';

  /** All that an answer says of us. */
  function said({ status, text, headers }: Reply): string {
    const own = ['content-type', 'www-authenticate', 'cache-control', 'allow', 'retry-after'];
    const shown = own.map((name) => `${name}: ${String(headers[name])}`);
    const body = text.replaceAll(/req_[0-9a-z]{26}/g, '<request>').replace(PARSER_LIMIT, OUR_LIMIT);
    return [status, ...shown, body].join('\n');
  }

  async function answersAt(url: string): Promise<readonly string[]> {
    const answers: string[] = [];
    for (const { path, ...more } of requests()) answers.push(said(await ask(url + path, more)));
    return answers;
  }

  it('changes no answer to what is refused', async () => {
    const expected = await answersAt(urls.get('nothing else') ?? '');
    for (const answer of expected) expect(answer).to.match(/^4/);
    for (const [setting, url] of urls) {
      const answers = await answersAt(url);
      for (const [index, answer] of answers.entries()) {
        const { path, method = 'GET', body = '' } = requests()[index] ?? { path: '' };
        const what = `${setting}: ${method} ${path} ${String(body).slice(0, 60)}`;
        expect(answer, what).to.equal(expected[index]);
      }
    }
    expect(await tableContents(app.databaseUrl, TOLD_OF_LEAKS)).to.deep.equal(contents);
  });

  it('changes nobody’s account, address or rights', async () => {
    for (const [setting, url] of urls) {
      const headers = { 'x-forwarded-for': '10.0.0.1', 'x-real-ip': '10.0.0.1' };
      const reply = await ask(`${url}/v1/charges`, { key: restricted, headers });
      expect(reply.status, setting).to.equal(200);
      const refused = await ask(`${url}/v1/api_keys`, { key: restricted, headers });
      expect([refused.status, refused.error['code']], setting).to.deep.equal([
        403,
        'secret_key_required',
      ]);
    }
  });
});
