import { once } from 'node:events';
import { createServer as createHttp2Server, createSecureServer } from 'node:http2';
import type { Server } from 'node:net';
import { type AddressInfo, createServer } from 'node:net';
import {
  DELIVERY_DEADLINE_MS,
  type DeliveryClient,
  HEADERS_SLOW_AFTER_MS,
} from '@paymount/webhooks';
import { expect } from 'chai';
import { testCertificate } from '../../support/test-certificate.ts';
import { expiredCertificate, selfSignedCertificate } from './bad-certificates.ts';
import { send, testClient, toOutcome } from './client.ts';
import {
  answerAll,
  http,
  type Play,
  rawServers,
  readRequest,
  startRawServer,
} from './raw-server.ts';

describe('A delivery that is not answered', () => {
  let client: DeliveryClient;
  const servers = rawServers();
  const { serve } = servers;

  beforeEach(() => {
    client = testClient();
  });

  afterEach(async () => {
    await client.close();
    await servers.close();
  });

  it('has 20 s by default, and counts as slow after 3', () => {
    expect(DELIVERY_DEADLINE_MS).to.equal(20_000);
    expect(HEADERS_SLOW_AFTER_MS).to.equal(3_000);
  });

  const silent: readonly (readonly [string, Play])[] = [
    ['accepts the connection and says nothing', () => undefined],
    ['takes the request and says nothing', async (socket) => void (await readRequest(socket))],
    [
      'drips one byte of a header at a time',
      async (socket) => {
        await readRequest(socket);
        socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
        const drip = setInterval(() => socket.write('x'), 20);
        socket.on('close', () => clearInterval(drip));
      },
    ],
    [
      'announces an answer for ever',
      async (socket) => {
        await readRequest(socket);
        const drip = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 20);
        socket.on('close', () => clearInterval(drip));
      },
    ],
  ];
  for (const [name, play] of silent) {
    it(`ends at the deadline when the receiver ${name}`, async () => {
      const { url } = await serve(play);
      const result = await send(client, url);
      expect(toOutcome(result)).to.deep.equal({ outcome: 'failed', errorCode: 'timeout' });
      expect(result.durationMs).to.be.within(999, 3_000);
    });
  }

  it('ends at the deadline when the receiver never speaks TLS', async () => {
    const { port } = await serve(() => undefined);
    const result = await send(client, `https://localhost:${port}/hook`);
    expect(toOutcome(result)).to.deep.equal({ outcome: 'failed', errorCode: 'timeout' });
    expect(result.durationMs).to.be.within(999, 3_000);
  });

  it('accepts a response just before the deadline, and none just after it', async () => {
    const answerAfter = (ms: number): Play => {
      return async (socket) => {
        await readRequest(socket);
        setTimeout(() => socket.write(http('200 OK')), ms);
      };
    };
    const [before, late] = await Promise.all([
      send(client, (await serve(answerAfter(850))).url),
      send(client, (await serve(answerAfter(1_100))).url),
    ]);
    expect(toOutcome(before)).to.include({ outcome: 'succeeded', status: 200 });
    expect(toOutcome(late)).to.deep.equal({ outcome: 'failed', errorCode: 'timeout' });
  });

  it('hangs up at the deadline, so that the receiver holds nothing open', async () => {
    let closed: Promise<unknown> | undefined;
    const { url } = await serve(async (socket) => {
      closed = once(socket, 'close');
      await readRequest(socket);
    });
    await send(client, url);
    await closed;
  });

  it('tells once that the head is slow, and goes on', async () => {
    const slow = testClient({ slowAfterMs: 50 });
    const { url } = await serve(async (socket) => {
      await readRequest(socket);
      setTimeout(() => socket.write(http('200 OK')), 150);
    });
    let told = 0;
    const onHeadersSlow = (): void => {
      told += 1;
    };
    const result = await send(slow, url, { onHeadersSlow });
    expect(toOutcome(result)).to.include({ outcome: 'succeeded' });
    expect(told).to.equal(1);
    await slow.close();
  });

  const broken: readonly (readonly [string, string, string])[] = [
    [
      'headers over 16 KiB',
      `HTTP/1.1 200 OK\r\nx-big: ${'x'.repeat(17_000)}\r\n\r\n`,
      'headers_too_large',
    ],
    [
      'a thousand headers over 16 KiB',
      `HTTP/1.1 200 OK\r\n${'x-abcdefghijkl: y\r\n'.repeat(2_000)}\r\n`,
      'headers_too_large',
    ],
    ['bytes that are not HTTP', 'SSH-2.0-OpenSSH_9.9\r\n', 'not_http'],
    ['a version without a minor one', 'HTTP/2 200\r\n\r\n', 'invalid_status_line'],
    ['a status below 100', 'HTTP/1.1 099 Odd\r\n\r\n', 'invalid_status_line'],
    [
      'two lengths',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab',
      'conflicting_lengths',
    ],
    [
      'a length that is no number',
      'HTTP/1.1 200 OK\r\ncontent-length: +2\r\n\r\nab',
      'conflicting_lengths',
    ],
    [
      'a length and chunks',
      'HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      'conflicting_lengths',
    ],
    ['a header without a colon', 'HTTP/1.1 200 OK\r\nno colon here\r\n\r\n', 'invalid_header'],
    ['a NUL in a header', 'HTTP/1.1 200 OK\r\nx: a\u0000b\r\n\r\n', 'invalid_header'],
    [
      'an upgrade nobody asked for',
      'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
      'switched_protocols',
    ],
    ['an HTTP/2 preface', '\u0000\u0000\u0000\u0004\u0000\u0000\u0000\u0000\u0000', 'not_http'],
  ];
  for (const [name, bytes, detail] of broken) {
    it(`calls ${name} an invalid response, and does not use the socket again`, async () => {
      const server = await serve(answerAll(Buffer.from(bytes, 'latin1')));
      for (const connections of [1, 2]) {
        expect(toOutcome(await send(client, server.url))).to.deep.equal({
          outcome: 'failed',
          errorCode: 'invalid_response',
          errorDetail: detail,
        });
        expect(server.connections).to.equal(connections);
      }
    });
  }

  it('calls a receiver that speaks HTTP/2 only an invalid response', async () => {
    const trusting = testClient({ ca: testCertificate.ca });
    for (const [server, scheme, errorDetail] of [
      [createHttp2Server(), 'http', 'not_http'],
      [createSecureServer({ ...testCertificate, allowHTTP1: false }), 'https', 'http2_only'],
    ] as const) {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      expect(toOutcome(await send(trusting, `${scheme}://localhost:${port}/`))).to.deep.equal({
        outcome: 'failed',
        errorCode: 'invalid_response',
        errorDetail,
      });
      server.close();
    }
    await trusting.close();
  });

  const disconnecting: readonly (readonly [string, Play])[] = [
    ['resets on connecting', (socket) => void socket.resetAndDestroy()],
    [
      'resets before the status',
      async (socket) => {
        await readRequest(socket);
        socket.resetAndDestroy();
      },
    ],
    [
      'closes in the middle of the head',
      async (socket) => {
        await readRequest(socket);
        socket.end('HTTP/1.1 200 OK\r\nx-half');
      },
    ],
  ];
  for (const [name, play] of disconnecting) {
    it(`calls it a connection error when the receiver ${name}`, async () => {
      const server = await serve(play);
      const result = await send(client, server.url);
      expect(toOutcome(result)).to.deep.equal({ outcome: 'failed', errorCode: 'connection' });
      expect(result.redialed).to.equal(false);
      expect(server.connections).to.equal(1);
    });
  }

  it('calls a refused port a connection error', async () => {
    const server = await serve(() => undefined);
    await servers.close();
    const result = await send(client, server.url);
    expect(toOutcome(result)).to.deep.equal({ outcome: 'failed', errorCode: 'connection' });
  });

  it('throws on a header that cannot be sent, having sent nothing', async () => {
    const server = await serve(answerAll(http('200 OK')));
    const sending = client.send({
      url: server.url,
      headers: { 'bad header': 'x' },
      body: Buffer.from('{}'),
      environment: 'test',
    });
    const error: unknown = await sending.catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(Error);
    expect(server.connections).to.equal(0);
  });
});

describe('A delivery over TLS', () => {
  const servers: { close(): unknown }[] = [];
  const clients: DeliveryClient[] = [];

  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });

  const trying = async (
    tls: object,
    { ca, url }: { readonly ca?: string; readonly url?: (port: number) => string } = {},
  ): Promise<Record<string, unknown>> => {
    const server = await startRawServer(answerAll(http('200 OK')), tls);
    servers.push(server);
    const client = testClient({
      lookUp: async () => ['127.0.0.1'],
      ports: [server.port],
      ...(ca === undefined ? {} : { ca }),
    });
    clients.push(client);
    return toOutcome(await send(client, url?.(server.port) ?? server.url));
  };

  const tlsError = (errorDetail: string): object => ({
    outcome: 'failed',
    errorCode: 'tls',
    errorDetail,
  });
  const { ca } = testCertificate;

  it('succeeds with TLS 1.2 and 1.3 and a trusted certificate, by name and by address', async () => {
    for (const version of ['TLSv1.2', 'TLSv1.3']) {
      const tls = { ...testCertificate, minVersion: version, maxVersion: version };
      expect(await trying(tls, { ca })).to.include({ outcome: 'succeeded' });
    }
    const byAddress = { ca, url: (port: number) => `https://127.0.0.1:${port}/` };
    expect(await trying(testCertificate, byAddress)).to.include({ outcome: 'succeeded' });
  });

  it('refuses an expired certificate', async () => {
    const found = await trying(expiredCertificate, { ca: expiredCertificate.ca });
    expect(found).to.deep.equal(tlsError('expired'));
  });

  it('refuses a self-signed certificate', async () => {
    expect(await trying(selfSignedCertificate)).to.deep.equal(tlsError('self_signed'));
  });

  it('refuses a certificate of an unknown authority', async () => {
    expect(await trying(testCertificate)).to.deep.equal(tlsError('untrusted'));
  });

  it('refuses a certificate of another name', async () => {
    const url = (port: number): string => `https://hooks.example.com:${port}/`;
    expect(await trying(testCertificate, { ca, url })).to.deep.equal(tlsError('wrong_host'));
  });

  it('refuses TLS below 1.2', async () => {
    const old = {
      ...testCertificate,
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    };
    expect(await trying(old, { ca })).to.deep.equal(tlsError('protocol'));
  });

  it('refuses a receiver that answers TLS with plain HTTP', async () => {
    const server: Server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push({ close: () => void server.close() });
    const client = testClient({ ca });
    clients.push(client);
    const { port } = server.address() as AddressInfo;
    expect(toOutcome(await send(client, `https://localhost:${port}/`))).to.deep.equal(
      tlsError('protocol'),
    );
  });

  it('refuses the certificate whatever the environment of the process says', async () => {
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      expect(await trying(selfSignedCertificate)).to.deep.equal(tlsError('self_signed'));
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    }
  });

  it('sends the name in SNI, and none for an address', async () => {
    const asked: string[] = [];
    const tls = {
      ...testCertificate,
      SNICallback: (name: string, done: (error: null) => void) => {
        asked.push(name);
        done(null);
      },
    };
    await trying(tls, { ca });
    await trying(tls, { ca, url: (port) => `https://127.0.0.1:${port}/` });
    expect(asked).to.deep.equal(['localhost']);
  });
});
