import type { DeliveryClient, DeliveryClientOptions } from '@paymount/webhooks';
import { expect } from 'chai';
import { testCertificate } from '../../support/test-certificate.ts';
import { send, testClient, toOutcome } from './client.ts';
import { type ConnectProxy, startConnectProxy } from './connect-proxy.ts';
import { answerAll, http, type RawServer, startRawServer } from './raw-server.ts';

const refused = { outcome: 'failed', errorCode: 'connection', errorDetail: 'proxy_refused' };
const unavailable = {
  outcome: 'failed',
  errorCode: 'connection',
  errorDetail: 'proxy_unavailable',
};

describe('A delivery through a proxy of the host', () => {
  const closing: { close(): Promise<unknown> }[] = [];
  let receiver: RawServer;

  beforeEach(async () => {
    receiver = await startRawServer(answerAll(http('200 OK')), testCertificate);
  });

  afterEach(async () => {
    await Promise.all(closing.splice(0).map((each) => each.close()));
    await receiver.close();
  });

  async function startProxy(respond?: (head: string) => string): Promise<ConnectProxy> {
    const proxy = await startConnectProxy(receiver.port, respond);
    closing.unshift(proxy);
    return proxy;
  }

  function makeClient(proxy: string, options: Partial<DeliveryClientOptions> = {}): DeliveryClient {
    const client = testClient({
      ca: testCertificate.ca,
      allowedNetworks: [],
      ports: [],
      lookUp: () => expect.fail('The proxy resolves names, not the client.'),
      deadlineMs: 5_000,
      proxy,
      ...options,
    });
    closing.unshift(client);
    return client;
  }

  it('asks it for the name and port, with its credentials, and for nothing more', async () => {
    const proxy = await startProxy();
    const client = makeClient(`http://us%40er:pass%3Aword@127.0.0.1:${proxy.port}`, {
      allowedNetworks: ['127.0.0.0/8'],
      ports: 'any',
    });
    const result = await send(client, 'https://localhost/hook');
    expect(toOutcome(result)).to.include({ outcome: 'succeeded', status: 200 });
    expect(proxy.asked).to.deep.equal([
      'CONNECT localhost:443 HTTP/1.1\r\nHost: localhost:443\r\n' +
        `Proxy-Authorization: Basic ${Buffer.from('us@er:pass:word').toString('base64')}\r\n\r\n`,
    ]);
  });

  it('shows no address and no credentials', async () => {
    const proxy = await startProxy();
    const client = makeClient(`http://user:secret@127.0.0.1:${proxy.port}`, {
      allowedNetworks: ['127.0.0.0/8'],
    });
    const result = await send(client, 'https://localhost/hook');
    expect(result).to.include({ remoteAddress: undefined, dnsMs: undefined });
    for (const ms of [result.connectMs, result.tlsMs, result.waitMs]) expect(ms).to.be.at.least(0);
  });

  it('keeps the connection for the next one', async () => {
    const proxy = await startProxy();
    const client = makeClient(proxy.url, { allowedNetworks: ['127.0.0.0/8'] });
    for (let sent = 0; sent < 3; sent += 1) await send(client, 'https://localhost/hook');
    expect(proxy.connections).to.equal(1);
  });

  it('verifies the certificate of the receiver behind it', async () => {
    const proxy = await startProxy();
    const result = await send(makeClient(proxy.url), 'https://hooks.example.com/');
    expect(toOutcome(result)).to.deep.equal({
      outcome: 'failed',
      errorCode: 'tls',
      errorDetail: 'wrong_host',
    });
    expect(proxy.asked[0]).to.match(/^CONNECT hooks\.example\.com:443 HTTP\/1\.1\r\n/);
  });

  it('goes through it without TLS as well, in test', async () => {
    const plain = await startRawServer(answerAll(http('200 OK')));
    const proxy = await startConnectProxy(plain.port);
    closing.push(proxy, plain);
    const result = await send(makeClient(proxy.url), 'http://hooks.example.com/');
    expect(toOutcome(result)).to.include({ outcome: 'succeeded' });
    expect(proxy.asked[0]).to.match(/^CONNECT hooks\.example\.com:80 HTTP\/1\.1\r\n/);
  });

  it('asks it for nothing that registration refuses', async () => {
    const proxy = await startProxy();
    const client = makeClient(proxy.url, { ownHosts: ['api.example.com'] });
    for (const url of [
      'https://127.0.0.1/',
      'http://169.254.169.254/',
      'https://intranet/',
      'https://hooks.example.com:6379/',
      'https://api.example.com/',
    ]) {
      expect(toOutcome(await send(client, url)), url).to.include({ errorCode: 'blocked_address' });
    }
    expect(proxy.connections).to.equal(0);
  });

  const refusals: readonly (readonly [string, string])[] = [
    ['403 because it filters', 'HTTP/1.1 403 Forbidden\r\n\r\n10.0.0.7 is not allowed'],
    ['407 because it filters', 'HTTP/1.1 407 Request rejected by proxy\r\n\r\n'],
    ['503 because it cannot connect', 'HTTP/1.1 503 Service Unavailable\r\n\r\n'],
    ['with bytes that are not HTTP', 'SSH-2.0-OpenSSH_9.9\r\n\r\n'],
    ['with endless headers', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(20_000)}`],
    ['with more than the head', 'HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n'],
    ['with the end of the connection', ''],
  ];
  for (const [how, response] of refusals) {
    it(`fails when it answers ${how}, and shows nothing of its answer`, async () => {
      const proxy = await startProxy(() => response);
      const result = await send(makeClient(proxy.url), 'https://hooks.example.com/');
      expect(toOutcome(result)).to.deep.equal(refused);
      expect(JSON.stringify(result)).not.to.include('10.0.0.7');
      expect(receiver.connections).to.equal(0);
    });
  }

  it('says that it is unavailable when it refuses the connection', async () => {
    const proxy = await startProxy();
    await proxy.close();
    closing.splice(closing.indexOf(proxy), 1);
    const result = await send(makeClient(proxy.url), 'https://hooks.example.com/');
    expect(toOutcome(result)).to.deep.equal(unavailable);
  });

  it('says that it is unavailable when it asks for other credentials', async () => {
    const proxy = await startProxy(
      () => 'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n',
    );
    const result = await send(makeClient(proxy.url), 'https://hooks.example.com/');
    expect(toOutcome(result)).to.deep.equal(unavailable);
  });

  it('ends at the deadline when it does not answer', async () => {
    const proxy = await startRawServer(() => undefined);
    closing.push(proxy);
    const client = makeClient(`http://127.0.0.1:${proxy.port}`, { deadlineMs: 200 });
    const result = await send(client, 'https://hooks.example.com/');
    expect(toOutcome(result)).to.deep.equal({ outcome: 'failed', errorCode: 'timeout' });
    expect(result.durationMs).to.be.within(199, 3_000);
  });
});
