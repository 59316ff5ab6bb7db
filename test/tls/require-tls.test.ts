import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import express from 'express';
import type { Paymount, PaymountOptions } from 'paymount';
import { ask } from '../http/ask.ts';
import { type OpenShop, openShop } from '../journeys/open-shop.ts';
import { startApp, type TestApp } from '../support/app.ts';

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
        host.use(made.router({ environment: 'test', requireTls: true }));
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

  it('takes no report of leaks without it, unless it is told to', async () => {
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

  /** What a request that a stranger forwarded gets. */
  async function verdict(options: Parameters<Paymount['router']>[0]): Promise<string> {
    const server = createServer(express().use(shop.paymount.router(options)));
    servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const { error } = await ask(`http://127.0.0.1:${port}/v1/balance`, { key: '', headers: PROXY });
    return String(error['code']);
  }

  it('live does, and so does one that may be live; test does not', async () => {
    expect(await verdict({ environment: 'live' })).to.equal('tls_required');
    expect(await verdict({ environment: () => undefined })).to.equal('tls_required');
    expect(await verdict({ environment: 'test' })).to.equal('api_key_missing');
    expect(await verdict({ environment: 'live', requireTls: false })).to.equal('api_key_missing');
  });
});
