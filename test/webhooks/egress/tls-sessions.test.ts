import { constants } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type TLSSocket, type TlsOptions } from 'node:tls';
import type { DeliveryClient, DeliveryClientOptions } from '@paymount/webhooks';
import { expect } from 'chai';
import { testCertificate } from '../../support/test-certificate.ts';
import { selfSignedCertificate } from './bad-certificates.ts';
import { NOW_MS, send, testClient, toOutcome } from './client.ts';
import { http, readRequest } from './raw-server.ts';

const MINUTE = 60_000;

/** Of the test certificate. */
const EXPIRES_MS = Date.parse('2126-10-28T11:48:30.000Z');

describe('A TLS session', () => {
  let nowMs = NOW_MS;
  let client: DeliveryClient;
  const servers: Server[] = [];
  let resumed: boolean[] = [];

  const makeClient = (options: Partial<DeliveryClientOptions> = {}): DeliveryClient =>
    testClient({
      nowMs: () => nowMs,
      ca: testCertificate.ca,
      lookUp: async () => ['127.0.0.1'],
      deadlineMs: 10_000,
      ...options,
    });

  beforeEach(() => {
    nowMs = NOW_MS;
    resumed = [];
    client = makeClient();
  });

  afterEach(async () => {
    await client.close();
    for (const server of servers.splice(0)) server.close();
  });

  /** Closes each connection after one response. @returns its port */
  async function serve(options: TlsOptions = {}): Promise<number> {
    const respond = async (socket: TLSSocket): Promise<void> => {
      resumed.push(socket.isSessionReused());
      socket.on('error', () => undefined);
      await readRequest(socket);
      socket.end(http('200 OK', ['Connection: close']));
    };
    const server = createServer(
      { ...testCertificate, ...options },
      (socket) => void respond(socket),
    );
    servers.push(server);
    server.on('tlsClientError', () => undefined);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  const sendTo = async (port: number, host = 'localhost'): Promise<Record<string, unknown>> =>
    toOutcome(await send(client, `https://${host}:${port}/`));

  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    it(`of ${version} is resumed by the next connections to a receiver`, async () => {
      const port = await serve({ minVersion: version, maxVersion: version });
      for (let sent = 0; sent < 4; sent += 1) {
        expect(await sendTo(port)).to.include({ outcome: 'succeeded' });
      }
      expect(resumed).to.deep.equal([false, true, true, true]);
    });

    it(`of ${version} ends 10 minutes after the certificate was verified`, async () => {
      const port = await serve({ minVersion: version, maxVersion: version });
      for (const minutes of [0, 5, 9.999, 10, 19.999, 20]) {
        nowMs = NOW_MS + minutes * MINUTE;
        expect(await sendTo(port)).to.include({ outcome: 'succeeded' });
      }
      expect(resumed).to.deep.equal([false, true, true, false, true, false]);
    });

    it(`of ${version} does not hide a bad certificate for longer`, async () => {
      const ticketKeys = Buffer.alloc(48, 7);
      const versions = { minVersion: version, maxVersion: version };
      const port = await serve({ ...versions, ticketKeys });
      await sendTo(port);
      servers[0]?.setSecureContext({ ...selfSignedCertificate, ...versions, ticketKeys });
      nowMs = NOW_MS + 10 * MINUTE;
      expect(await sendTo(port)).to.deep.equal({
        outcome: 'failed',
        errorCode: 'tls',
        errorDetail: 'self_signed',
      });
    });
  }

  it('ends when the certificate expires', async () => {
    const port = await serve();
    for (const leftMs of [MINUTE, 1, 0]) {
      nowMs = EXPIRES_MS - leftMs;
      expect(await sendTo(port)).to.include({ outcome: 'succeeded' });
    }
    expect(resumed).to.deep.equal([false, true, false]);
  });

  it('is not used before its certificate was verified, by a clock that was set back', async () => {
    const port = await serve();
    await sendTo(port);
    nowMs = NOW_MS - MINUTE;
    await sendTo(port);
    expect(resumed).to.deep.equal([false, false]);
  });

  it('is used only for the host and port whose certificate was verified', async () => {
    const ticketKeys = Buffer.alloc(48, 7);
    const port = await serve({ ticketKeys });
    await sendTo(port);
    expect(await sendTo(port, '127.0.0.1')).to.include({ outcome: 'succeeded' });
    const otherPort = await serve({ ticketKeys });
    expect(await sendTo(otherPort)).to.include({ outcome: 'succeeded' });
    expect(resumed).to.deep.equal([false, false, false]);
  });

  it('does not admit to a name that the certificate lacks', async () => {
    const port = await serve();
    await client.close();
    client = makeClient({ ports: [port] });
    expect(await sendTo(port)).to.include({ outcome: 'succeeded' });
    expect(await sendTo(port, 'hooks.example.com')).to.deep.equal({
      outcome: 'failed',
      errorCode: 'tls',
      errorDetail: 'wrong_host',
    });
  });

  it('is given up for 10 minutes with a receiver that closes the connection on it', async () => {
    const port = await serve({ maxVersion: 'TLSv1.2', secureOptions: constants.SSL_OP_NO_TICKET });
    let offered = 0;
    const [server] = servers;
    const given = new Set<string>();
    server?.on('newSession', (id: Buffer, _data, done: () => void) => {
      given.add(id.toString('hex'));
      done();
    });
    server?.on('resumeSession', (id: Buffer, done: (error: Error | null, data: null) => void) => {
      const isOwn = given.has(id.toString('hex'));
      if (isOwn) offered += 1;
      done(isOwn ? new Error('This receiver cannot resume.') : null, null);
    });
    for (const minutes of [0, 1, 2, 10]) {
      nowMs = NOW_MS + minutes * MINUTE;
      expect(await sendTo(port)).to.include({ outcome: 'succeeded' });
    }
    expect({ offered, resumed }).to.deep.equal({
      offered: 1,
      resumed: [false, false, false, false],
    });
  });
});
