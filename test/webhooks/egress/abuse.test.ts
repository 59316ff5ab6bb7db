import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { DeliveryClient, SendResult } from '@paymount/webhooks';
import { expect } from 'chai';
import { eventually } from '../../support/eventually.ts';
import { testCertificate } from '../../support/test-certificate.ts';
import { send, testClient, toOutcome } from './client.ts';
import { answerAll, http, rawServers, readRequest } from './raw-server.ts';

const MEBIBYTE = 1_048_576;

describe('A receiver that abuses its connection', () => {
  let client: DeliveryClient;
  const servers = rawServers();
  const { serve } = servers;

  beforeEach(() => {
    client = testClient({ deadlineMs: 20_000, bodyMs: 2_000, ca: testCertificate.ca });
  });

  afterEach(async () => {
    await client.close();
    await servers.close();
  });

  describe('by answering TLS 100 times and never again', () => {
    /** Completes TLS with its first 100 connections; the others wait for its first byte for ever. */
    async function startStallingServer(answer: string) {
      const open = new Set<Socket>();
      const ports: (number | undefined)[] = [];
      const respond = async (socket: Socket): Promise<void> => {
        socket.on('error', () => undefined);
        await readRequest(socket);
        await eventually(() => ports.length >= 100);
        socket.write(answer);
      };
      const tls = createTlsServer(testCertificate, (socket) => void respond(socket));
      const server: Server = createServer((socket) => {
        ports.push(socket.remotePort);
        open.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => open.delete(socket));
        if (ports.length <= 100) tls.emit('connection', socket);
        else socket.resume();
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      return {
        port: (server.address() as AddressInfo).port,
        openSockets: () => open.size,
        ports,
        close() {
          for (const socket of open) socket.destroy();
          server.close();
        },
      };
    }

    for (const [what, answer] of [
      ['closes each connection', http('200 OK', ['Connection: close'])],
      ['sends bodies that are cut', http('200 OK', [], 'x'.repeat(20_000))],
      ['keeps each connection open', http('200 OK')],
    ] as const) {
      it(`holds no socket afterwards if it ${what}`, async () => {
        const server = await startStallingServer(answer);
        const url = `https://localhost:${server.port}/`;
        const results = await Promise.all(Array.from({ length: 100 }, () => send(client, url)));
        expect(results.every(({ outcome }) => outcome === 'succeeded')).to.equal(true);
        await eventually(() => server.openSockets() === 0);
        // Arrives after any connection that the client makes when one of its own is closed.
        const last = connect(server.port, '127.0.0.1');
        await eventually(() => server.ports.includes(last.localPort));
        expect(server.ports).to.have.length(101);
        last.destroy();
        server.close();
      });
    }
  });

  /** Writes this again and again, as fast as the client reads. */
  async function flood(
    first: string,
    again: string,
  ): Promise<SendResult & { writtenBytes: number }> {
    let writtenBytes = 0;
    const many = Buffer.from(again.repeat(Math.ceil(65_536 / again.length)));
    const { url } = await serve(async (socket) => {
      await readRequest(socket);
      const pump = (): void => {
        while (!socket.destroyed && socket.write(many)) writtenBytes += many.length;
      };
      socket.on('drain', pump);
      socket.write(first);
      pump();
    });
    const result = await send(client, url);
    return { ...result, writtenBytes };
  }

  const tooLarge = {
    outcome: 'failed',
    errorCode: 'invalid_response',
    errorDetail: 'headers_too_large',
  };

  it('by a flood of announcements (103) has sent too many headers', async () => {
    const result = await flood('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n');
    expect(toOutcome(result)).to.deep.equal(tooLarge);
    expect(result.writtenBytes).to.be.below(32 * MEBIBYTE);
  });

  it('by announcements of over 16 KiB before its answer has sent too many headers', async () => {
    const announce = (count: number): string =>
      `HTTP/1.1 103 Early Hints\r\nlink: <${'a'.repeat(1_000)}>\r\n\r\n`.repeat(count);
    const fits = await serve(answerAll(`${announce(14)}${http('200 OK')}`));
    expect(toOutcome(await send(client, fits.url))).to.include({ outcome: 'succeeded' });
    const exceeds = await serve(answerAll(`${announce(17)}${http('200 OK')}`));
    expect(toOutcome(await send(client, exceeds.url))).to.deep.equal(tooLarge);
  });

  const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
  for (const [what, first, again] of [
    ['one endless chunk extension', `${chunked}1;`, 'x'],
    ['chunks of one byte with long extensions', chunked, `1;${'x'.repeat(2_000)}\r\ny\r\n`],
    ['endless leading zeros', chunked, '0'],
  ] as const) {
    it(`by ${what} has answered, and is cut off`, async () => {
      const result = await flood(first, again);
      expect(toOutcome(result)).to.include({ status: 200, truncated: true });
      // Not the two seconds that a body may take.
      expect(result.durationMs).to.be.below(1_900);
      expect(result.writtenBytes).to.be.below(32 * MEBIBYTE);
    });
  }

  it('by chunks of one byte is read in full, up to 16 KiB', async () => {
    const body = '1\r\nx\r\n'.repeat(16_384);
    const { url } = await serve(answerAll(`${chunked}${body}0\r\n\r\n`));
    const result = await send(client, url);
    expect(toOutcome(result)).to.include({ outcome: 'succeeded', truncated: false });
    expect('response' in result && result.response.body.length).to.equal(16_384);
  });

  // More than the buffers of two sockets hold: its end is still being sent when the answer comes.
  const body = Buffer.alloc(32 * MEBIBYTE, 'x');
  for (const [status, expected] of [
    ['413 Too Large', { errorCode: 'http_status', status: 413 }],
    ['200 OK', { outcome: 'succeeded', status: 200 }],
  ] as const) {
    for (const [how, end] of [
      ['resets', (socket: Socket) => void socket.resetAndDestroy()],
      ['closes', (socket: Socket) => void socket.destroy()],
      ['half-closes', (socket: Socket) => void socket.end()],
      ['keeps', () => undefined],
    ] as const) {
      it(`by not reading a body, answers ${status} and ${how} the connection, has answered`, async () => {
        const server = await serve(async (socket) => {
          await once(socket, 'data');
          socket.pause();
          socket.write(http(status), () => end(socket));
        });
        for (const connections of [1, 2, 3]) {
          expect(toOutcome(await send(client, server.url, { body }))).to.include(expected);
          expect(server.connections).to.equal(connections);
        }
      });
    }
  }

  it('by answering before it reads anything has answered', async () => {
    const { url } = await serve((socket) => {
      socket.write(http('503 Busy'), () => socket.destroy());
    });
    for (let sent = 0; sent < 10; sent += 1) {
      expect(toOutcome(await send(client, url, { body }))).to.include({ status: 503 });
    }
  });
});
