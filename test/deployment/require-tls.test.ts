import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import express from 'express';
import type { Paymount, PaymountOptions } from 'paymount';
import { startApp, type TestApp } from '../support/app.ts';
import { ask } from '../support/ask.ts';
import { type OpenShop, openShop } from '../support/open-shop.ts';

const FORGED = { 'x-forwarded-proto': 'https' };
const PROXY = { 'x-forwarded-for': '203.0.113.9' };

describe('a mount that requires TLS', () => {
  let app: TestApp | undefined;
  afterEach(async () => {
    await app?.close();
    app = undefined;
  });

  async function start(paymount: Partial<PaymountOptions> = {}): Promise<TestApp> {
    app = await startApp({
      paymount,
      mount: (host, made) => {
        host.use(made.router({ environment: 'test' }));
      },
    });
    return app;
  }

  async function found(path: string, headers: Record<string, string>): Promise<string> {
    const { url, secretKey: key } = app as TestApp;
    const { status, error } = await ask(url + path, { key, headers });
    return error['code'] === undefined ? String(status) : `${status} ${String(error['code'])}`;
  }

  it('answers 403 before it reads a credential, an address or a route, and never redirects', async () => {
    const { url, secretKey } = await start();
    for (const [path, key] of [
      ['/v1/balance', secretKey],
      ['/v1/balance', 'no key'],
      ['/v1/balance', ''],
      [`/v1/balance?key=${secretKey}`, secretKey],
      ['/v1/nothing', secretKey],
      ['/v1/openapi.json', ''],
    ] as const) {
      const { status, headers, error } = await ask(url + path, { key, headers: FORGED });
      expect([status, error['code'], headers.location], path).to.deep.equal([
        403,
        'tls_required',
        undefined,
      ]);
      expect(error['type']).to.equal('permission_error');
      expect(error['message']).to.equal(
        'The request came without TLS, from a proxy that is not trusted (the host lists those in `trustedProxies`); TLS 1.2 or later is needed.',
      );
    }
  });

  it('accepts no leak report without TLS, unless the option allows it', async () => {
    app = await startApp({
      mount: (host, made) => {
        host.use(made.leakRouter());
        host.use('/plain', made.leakRouter({ requireTls: false }));
      },
    });
    const report = (mount: string, headers: Record<string, string>) =>
      ask(`${app?.url}${mount}/leaks/github`, { method: 'POST', key: '', body: '[]', headers });
    expect((await report('', FORGED)).error['code']).to.equal('tls_required');
    expect((await report('', {})).error['code']).to.equal('leak_report_unverified');
    expect((await report('/plain', FORGED)).error['code']).to.equal('leak_report_unverified');
  });

  it('serves a plain peer on this machine, unless it forwards for another', async () => {
    await start();
    expect(await found('/v1/balance', {})).to.equal('200');
    expect(await found('/v1/balance', PROXY)).to.equal('403 tls_required');
    expect(await found('/v1/balance', { ...PROXY, ...FORGED })).to.equal('403 tls_required');
  });

  it('believes X-Forwarded-Proto of the proxies that the host trusts', async () => {
    await start({ trustedProxies: ['127.0.0.1'] });
    expect(await found('/v1/balance', { ...PROXY, ...FORGED })).to.equal('200');
    expect(await found('/v1/balance', { ...PROXY, 'x-forwarded-proto': 'http' })).to.equal(
      '403 tls_required',
    );
    expect(await found('/v1/balance', PROXY)).to.equal('403 tls_required');
  });

  it('demands the version of TLS once the host names a header for it', async () => {
    await start({ trustedProxies: ['127.0.0.1'], tlsVersionHeader: 'X-SSL-Protocol' });
    const over = (version: string) =>
      found('/v1/balance', { ...PROXY, ...FORGED, 'x-ssl-protocol': version });
    expect(await over('TLSv1.3')).to.equal('200');
    expect(await over('TLSv1.1')).to.equal('403 tls_required');
    expect(await found('/v1/balance', { ...PROXY, ...FORGED })).to.equal('403 tls_required');
  });
});

describe('which mounts require TLS', () => {
  let shop: OpenShop;
  const servers: Server[] = [];
  before(async () => {
    shop = await openShop();
  });
  after(async () => {
    for (const server of servers) server.close();
    await shop.close();
  });

  /** What a request gets, as a rule one that a stranger forwarded. */
  async function verdict(
    options: Parameters<Paymount['router']>[0],
    headers: Record<string, string> = PROXY,
  ): Promise<string> {
    const server = createServer(express().use(shop.paymount.router(options)));
    servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const { error } = await ask(`http://127.0.0.1:${port}/v1/balance`, { key: '', headers });
    return String(error['code']);
  }

  it('all do, of either environment, unless they say otherwise by name', async () => {
    for (const environment of ['live', 'test', () => undefined] as const) {
      expect(await verdict({ environment })).to.equal('tls_required');
    }
    for (const environment of ['live', 'test'] as const) {
      expect(await verdict({ environment, requireTls: true })).to.equal('tls_required');
      expect(await verdict({ environment, requireTls: false })).to.equal('api_key_missing');
    }
  });

  it('all serve this machine without it, in either environment', async () => {
    for (const environment of ['live', 'test'] as const) {
      expect(await verdict({ environment }, {})).to.equal('api_key_missing');
    }
  });

  it('is said with true or false, and with nothing that looks like one of them', () => {
    for (const requireTls of [null, 0, '', 'false', 'no']) {
      const mount = { environment: 'test', requireTls: requireTls as unknown as boolean } as const;
      expect(() => shop.paymount.router(mount)).to.throw(
        TypeError,
        'the option `requireTls` must be true or false; it is ',
      );
    }
  });
});
