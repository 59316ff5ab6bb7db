import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { tlsServerOptions } from 'paymount';
import { childProgram } from '../support/child-program.ts';
import { type OpenShop, openShop } from '../support/open-shop.ts';
import {
  handshake,
  makeCertificate,
  needOpenssl,
  VERSIONS,
  type Version,
} from '../support/openssl.ts';

/** The alerts of RFC 8446, section 6. */
const PROTOCOL_VERSION = { alert: 70 };
const HANDSHAKE_FAILURE = { alert: 40 };
const NO_KEY = { status: 401, code: 'api_key_missing' };
const LIVE = '/payments/live/v1/balance';
const CHILD = new URL('./tls-child.ts', import.meta.url);
/** Speaks every version, and so shows that the client offers them. */
const PERMISSIVE = { minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;

describe('TLS handshakes, by openssl s_client', function () {
  this.timeout(30_000);
  let certificate: Awaited<ReturnType<typeof makeCertificate>>;
  let shop: OpenShop;
  const closers: (() => void)[] = [];

  before(async function () {
    await needOpenssl(this);
    certificate = await makeCertificate();
    shop = await openShop({ certificate });
  });
  afterEach(() => {
    for (const close of closers.splice(0)) close();
  });
  after(() => shop?.close());

  const shopPort = () => Number(new URL(shop.url).port);
  const each = (port: number, path = '/') =>
    Promise.all(VERSIONS.map((version) => handshake({ port, version, path })));

  /** The shop's app on a server with other settings; closed after the test. */
  async function serve(options: ServerOptions, app = shop.app): Promise<number> {
    const server = createServer({ ...options, ...certificate }, app);
    closers.push(() => server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  }

  it('the example host refuses 1.0 and 1.1, and answers over 1.2 and 1.3', async () => {
    expect(await each(shopPort(), LIVE)).to.deep.equal([
      PROTOCOL_VERSION,
      PROTOCOL_VERSION,
      { version: 'TLSv1.2', ...NO_KEY },
      { version: 'TLSv1.3', ...NO_KEY },
    ]);
  });

  it('it is the minimum version that refuses, not the client or its ciphers', async () => {
    const { minVersion } = tlsServerOptions();
    const { ciphers } = PERMISSIVE;
    expect((await each(await serve({ minVersion, ciphers }), LIVE)).slice(0, 2)).to.deep.equal([
      PROTOCOL_VERSION,
      PROTOCOL_VERSION,
    ]);
    const accepted = await each(await serve(PERMISSIVE), '/orders/none');
    expect(accepted.map((answer) => 'version' in answer && answer.version)).to.deep.equal(VERSIONS);
  });

  it('the mount refuses what a host lets through over 1.0 and 1.1', async () => {
    const refused = { status: 403, code: 'tls_required' };
    expect(await each(await serve(PERMISSIVE), LIVE)).to.deep.equal([
      { version: 'TLSv1', ...refused },
      { version: 'TLSv1.1', ...refused },
      { version: 'TLSv1.2', ...NO_KEY },
      { version: 'TLSv1.3', ...NO_KEY },
    ]);
  });

  it('only ciphers with forward secrecy and authenticated encryption are spoken', async () => {
    const permissive = await serve(PERMISSIVE);
    const version: Version = 'TLSv1.2';
    for (const cipher of ['AES128-GCM-SHA256', 'ECDHE-RSA-AES128-SHA256']) {
      const ask = { version, path: LIVE, cipher: `${cipher}@SECLEVEL=0` };
      expect(await handshake({ ...ask, port: shopPort() }), cipher).to.deep.equal(
        HANDSHAKE_FAILURE,
      );
      expect(await handshake({ ...ask, port: permissive }), cipher).to.have.property('status', 401);
    }
  });

  it('node started with --tls-min-v1.0 refuses 1.0 and 1.1 all the same', async () => {
    const answered = { version: 'TLSv1', status: 200, code: '' };
    expect((await each(await startNode()))[0], 'without our options').to.deep.equal(answered);
    expect(await each(await startNode('--ours'))).to.deep.equal([
      PROTOCOL_VERSION,
      PROTOCOL_VERSION,
      { ...answered, version: 'TLSv1.2' },
      { ...answered, version: 'TLSv1.3' },
    ]);
  });

  /** @returns the port of a server in a process with the flag */
  async function startNode(...args: string[]): Promise<number> {
    const child: ChildProcess = fork(await childProgram(CHILD), args, {
      execArgv: ['--tls-min-v1.0'],
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    closers.push(() => child.kill());
    child.send(certificate);
    const [port] = await once(child, 'message');
    return Number(port);
  }
});
