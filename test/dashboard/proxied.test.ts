import { once } from 'node:events';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { ask, type Reply } from '../support/ask.ts';
import { newBrowser } from '../support/browser.ts';
import { startHost, type TestHost } from '../support/host.ts';
import { keptLog } from '../support/kept-log.ts';
import { type DashboardSetup, startDashboardSetup } from './dashboard-setup.ts';

const PREFIX = '/public';
const MOUNT = '/shop/dashboard';
const PUBLIC = `${PREFIX}${MOUNT}`;

/** A proxy that removes a prefix of paths and sends requests to its own target, as most do. */
async function startStrippingProxy(port: () => number): Promise<Server> {
  const proxy = createServer((request, response) => {
    const { method, headers, url = '' } = request;
    if (!url.startsWith(`${PREFIX}/`)) return void response.writeHead(404).end();
    const path = url.slice(PREFIX.length);
    const host = `127.0.0.1:${port()}`;
    const sent = { ...headers, host, 'x-forwarded-for': '192.0.2.7' };
    const onward = httpRequest({ port: port(), method, path, headers: sent }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return proxy;
}

describe('The dashboard behind a proxy that removes a part of the path', () => {
  let setup: DashboardSetup;
  let proxy: Server;
  let host: TestHost;
  let origin: string;
  const log = keptLog();

  before(async () => {
    setup = await startDashboardSetup();
    proxy = await startStrippingProxy(() => host.port);
    origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const { identity } = setup.login;
    const options = { identity, requireTls: false, origins: [origin], publicPath: PUBLIC };
    host = await startHost(setup, {
      paymount: { clock: setup.clock, logger: log },
      mount: (app, paymount) => void app.use(MOUNT, paymount.dashboardRouter(options)),
    });
  });
  after(async () => {
    await host.close();
    proxy.close();
    await setup.close();
  });

  const open = (path: string, headers: Record<string, string> = {}): Promise<Reply> =>
    ask(`${origin}${PUBLIC}${path}`, { key: '', headers });
  const returnTo = ({ headers }: Reply) =>
    new URLSearchParams(String(headers.location).split('?')[1]).get('returnTo');

  it('leads from the login back to the public address of the page', async () => {
    const path = `/${setup.account}/test/keys?type=secret`;
    const page = `${PUBLIC}${path}`;
    expect(returnTo(await open(path))).to.equal(page);
    const sent = new URLSearchParams({ to: path.slice(1), reason: 'reauthenticate' });
    expect(returnTo(await open(`/login?${sent}`))).to.equal(page);
    const browser = newBrowser(origin);
    browser.keep(setup.logIn('owner'));
    const { status, text } = await browser.open(page);
    expect([status, text.includes('<base href="../../"')]).to.deep.equal([200, true]);
  });

  it('adds the missing slash to the public address', async () => {
    const { status, headers } = await open('?x=1', { cookie: setup.logIn('owner') });
    expect([status, headers.location]).to.deep.equal([303, `${PUBLIC}/?x=1`]);
  });

  it('has its files where the page looks for them', async () => {
    const address = `${origin}${PUBLIC}/${setup.account}/test/keys`;
    const { text } = await ask(address, { key: '', headers: { cookie: setup.logIn('owner') } });
    const [, base = ''] = /<base href="([^"]+)"/.exec(text) ?? [];
    const scripts = [...text.matchAll(/<script[^>]* src="([^"]+)"/g)].map(([, src = '']) => src);
    expect(scripts).to.have.length.at.least(1);
    for (const src of scripts) {
      const file = new URL(src, new URL(base, address));
      expect(file.pathname.startsWith(`${PUBLIC}/assets/`), file.pathname).to.equal(true);
      expect((await ask(file.href, { key: '' })).status, file.pathname).to.equal(200);
    }
  });

  it('lets the pages of its public origin write, and no others', async () => {
    const write = (from: string) =>
      ask(`${origin}${PUBLIC}/api/${setup.account}/test/keys`, {
        key: '',
        headers: {
          cookie: setup.logIn('owner'),
          'paymount-csrf': '1',
          'content-type': 'application/json',
          'sec-fetch-site': from === origin ? 'same-origin' : 'cross-site',
          origin: from,
        },
        body: JSON.stringify({
          account: setup.account,
          livemode: false,
          type: 'secret',
          name: 'Server',
        }),
      });
    expect((await write(origin)).status).to.equal(200);
    expect((await write('https://evil.example')).status).to.equal(403);
  });

  it('warns once that the proxy is not trusted', async () => {
    await open('/');
    const warnings = log.lines.filter(({ text }) => text.includes('`trustedProxies` names none'));
    expect(warnings.map(({ level }) => level)).to.deep.equal(['warn']);
  });
});

describe('The public path of a dashboard', () => {
  let setup: DashboardSetup;

  before(async () => {
    setup = await startDashboardSetup();
  });
  after(() => setup.close());

  it('is a path as browsers send it', () => {
    const { identity } = setup.login;
    const mount = (publicPath: unknown) => () =>
      setup.paymount.dashboardRouter({ identity, publicPath } as never);
    for (const path of ['/', '/dashboard', '/public/shop/dashboard/', '/caf%C3%A9/d']) {
      expect(mount(path), path).not.to.throw();
    }
    for (const path of [
      '',
      'dashboard',
      '//evil.example',
      '/a//b',
      '/\\evil.example',
      '/a?x=1',
      '/a#x',
      '/a/../b',
      '/./a',
      '/a b',
      '/café',
      'https://shop.example/d',
      '/\t/evil.example',
      7,
    ]) {
      expect(mount(path), String(path)).to.throw(TypeError, 'publicPath');
    }
  });

  it('is that of the mount by default, on this origin whatever the mount matches', async () => {
    const { identity } = setup.login;
    setup.app.use(
      '/*tenant/dashboard',
      setup.paymount.dashboardRouter({ identity, requireTls: false }),
    );
    const cookie = setup.logIn('owner');
    const get = (path: string, headers = {}) => ask(setup.url + path, { key: '', headers });
    for (const [path, at] of [
      ['/tea/dashboard', '/tea/dashboard'],
      ['//evil.example/dashboard', '/evil.example/dashboard'],
      ['///evil.example/dashboard', '/evil.example/dashboard'],
      ['/\\evil.example/dashboard', '/evil.example/dashboard'],
    ] as const) {
      expect((await get(path, { cookie })).headers.location, path).to.equal(`${at}/`);
      expect((await get(`${path}/keys`)).headers.location, path).to.equal(
        `/login?${new URLSearchParams({ returnTo: `${at}/keys` })}`,
      );
      expect((await get(`${path}/login?to=keys`)).headers.location, path).to.equal(
        `/login?${new URLSearchParams({ returnTo: `${at}/keys` })}`,
      );
    }
  });
});
