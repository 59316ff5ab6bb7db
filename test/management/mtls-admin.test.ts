import { once } from 'node:events';
import https, { type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import express from 'express';
import { type AdminFacts, mtlsAdmin } from 'paymount';
import { startApp, type TestApp } from '../support/app.ts';
import { ask } from '../support/ask.ts';
import { needOpenssl } from '../support/openssl.ts';
import { type Authority, makeAuthority } from './client-certificates.ts';

const OPS: AdminFacts = { id: 'ops-robot', roles: ['security'] };
const HEADER = 'x-client-san';

describe('An admin who is authenticated by a client certificate', () => {
  let authority: Authority;
  let stranger: Authority;
  let app: TestApp | undefined;
  let server: Server | undefined;
  let port: number;

  before(async function () {
    await needOpenssl(this);
    authority = makeAuthority();
    stranger = makeAuthority();
    app = await startApp();
    const host = express();
    const authenticate = mtlsAdmin({ san: { 'URI:spiffe://shop.test/ops': OPS } });
    host.use('/admin', app.paymount.managementRouter({ authenticate }));
    const { key, cert } = authority.server;
    server = https.createServer(
      // The host lets others in for its other pages, so the certificate is asked for, not required.
      { key, cert, ca: authority.ca, requestCert: true, rejectUnauthorized: false },
      host,
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  after(async () => {
    server?.close();
    server?.closeAllConnections();
    await app?.close();
    authority?.remove();
    stranger?.remove();
  });

  /** How `/me` answers to who connects with this certificate. */
  async function verdict(
    client: { readonly key?: string; readonly cert?: string },
    headers: Record<string, string> = {},
  ): Promise<string> {
    const request = https.get({
      ...client,
      headers,
      port,
      host: '127.0.0.1',
      path: '/admin/me',
      ca: authority.ca,
      servername: 'localhost',
      agent: false,
    });
    const [response] = await once(request, 'response');
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    const { id, via, error } = JSON.parse(text);
    return response.statusCode === 200
      ? `${String(id)} by ${String(via)}`
      : `${response.statusCode} ${String(error.code)}`;
  }

  it('is the admin that the table lists for the name in the certificate', async () => {
    const client = authority.client('URI:spiffe://shop.test/ops');
    expect(await verdict(client)).to.equal('ops-robot by mtls');
    const among = authority.client('DNS:other.test,URI:spiffe://shop.test/ops');
    expect(await verdict(among)).to.equal('ops-robot by mtls');
  });

  it('is one of those whom the document names', async () => {
    const management = app?.paymount.managementRouter({
      authenticate: mtlsAdmin({ san: { a: OPS } }),
    });
    const own = await startApp({ mount: (host) => host.use(management ?? []) });
    const { json } = await ask(`${own.url}/openapi.json`, { key: '' });
    await own.close();
    expect(json['security']).to.deep.include({ certificate: [] });
    expect(json).to.have.nested.property(
      'components.securitySchemes.certificate.type',
      'mutualTLS',
    );
  });

  it('is not authenticated without a certificate', async () => {
    expect(await verdict({})).to.equal('401 admin_unauthenticated');
  });

  it('is not authenticated with the same name from another authority', async () => {
    const client = stranger.client('URI:spiffe://shop.test/ops');
    expect(await verdict(client)).to.equal('401 admin_unauthenticated');
  });

  it('is not authenticated with a name that is not in the table, is of another type, or is longer', async () => {
    for (const san of [
      'URI:spiffe://shop.test/ops2',
      'URI:spiffe://shop.test/OPS',
      'DNS:spiffe.shop.test',
      'email:spiffe@shop.test',
    ]) {
      expect(await verdict(authority.client(san)), san).to.equal('401 admin_unauthenticated');
    }
  });

  it('is not authenticated by a header if no proxy is trusted', async () => {
    const headers = { [HEADER]: 'URI:spiffe://shop.test/ops' };
    expect(await verdict({}, headers)).to.equal('401 admin_unauthenticated');
  });
});

describe('An admin whose certificate a trusted proxy has verified', () => {
  const name = 'URI:spiffe://shop.test/ops';

  async function askStatus(
    trustedProxies: readonly string[],
    values: readonly string[],
  ): Promise<number> {
    const authenticate = mtlsAdmin({
      san: { [name]: OPS },
      proxy: { header: HEADER, trustedProxies },
    });
    const app = await startApp({
      mount: (host, paymount) => host.use(paymount.managementRouter({ authenticate })),
    });
    const headers = values.length === 0 ? {} : { [HEADER]: [...values] };
    const { status } = await ask(`${app.url}/me`, { key: '', headers });
    await app.close();
    return status;
  }

  it('is who the header names, if it came from that proxy, once', async () => {
    expect(await askStatus(['127.0.0.0/8'], [name])).to.equal(200);
    expect(await askStatus(['10.0.0.0/8'], [name])).to.equal(401);
    expect(await askStatus(['127.0.0.0/8'], [name, name])).to.equal(401);
    expect(await askStatus(['127.0.0.0/8'], ['URI:spiffe://shop.test/other'])).to.equal(401);
    expect(await askStatus(['127.0.0.0/8'], [])).to.equal(401);
  });

  it('needs a table and proxies that are addresses', () => {
    expect(() => mtlsAdmin({ san: {} })).to.throw(TypeError, '`san` names no admin');
    // @ts-expect-error no table at all
    expect(() => mtlsAdmin({})).to.throw(
      TypeError,
      '`san` names no admin; it must be a table such as',
    );
    const proxy = { header: HEADER, trustedProxies: ['anywhere'] };
    expect(() => mtlsAdmin({ san: { [name]: OPS }, proxy })).to.throw(
      TypeError,
      'The option `proxy.trustedProxies[0]` is not an IPv4 or IPv6 address',
    );
  });
});
