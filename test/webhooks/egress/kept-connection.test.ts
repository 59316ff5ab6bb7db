import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DeliveryClient } from '@paymount/webhooks';
import { expect } from 'chai';
import { eventually } from '../../support/eventually.ts';
import { send, testClient, toOutcome } from './client.ts';
import { answerAll, http, type Play, rawServers, readRequest } from './raw-server.ts';

const failed = { outcome: 'failed', errorCode: 'connection' };

describe('A connection that is kept', () => {
  let client: DeliveryClient;
  const servers = rawServers();
  const { serve } = servers;

  beforeEach(() => {
    client = testClient({ deadlineMs: 20_000 });
  });

  afterEach(async () => {
    await client.close();
    await servers.close();
  });

  it('is used again, and says so', async () => {
    const server = await serve(answerAll(http('200 OK')));
    const first = await send(client, server.url);
    const second = await send(client, server.url);
    expect([first.reusedConnection, second.reusedConnection]).to.deep.equal([false, true]);
    expect(server.connections).to.equal(1);
    expect(first.connectMs).to.be.at.least(0);
    expect(second.connectMs).to.equal(undefined);
    for (const { waitMs, remoteAddress } of [first, second]) {
      expect(waitMs).to.be.at.least(0);
      expect(remoteAddress).to.equal('127.0.0.1');
    }
  });

  it('carries one request at a time', async () => {
    const server = await serve(answerAll(http('200 OK')));
    await Promise.all([send(client, server.url), send(client, server.url)]);
    expect(server.connections).to.equal(2);
    await Promise.all([send(client, server.url), send(client, server.url)]);
    expect(server.connections).to.equal(2);
  });

  it('is closed when 1,000 others have been idle for less time', async () => {
    const open = new Set<Socket>();
    const waiting: (() => void)[] = [];
    const server = await serve(async (socket) => {
      open.add(socket);
      socket.on('close', () => open.delete(socket));
      await readRequest(socket);
      waiting.push(() => void socket.write(http('200 OK', ['Keep-Alive: timeout=60'])));
      if (waiting.length === 1_002) for (const answer of waiting) answer();
      await readRequest(socket);
    });
    await Promise.all(Array.from({ length: 1_002 }, () => send(client, server.url)));
    await eventually(() => open.size === 1_000);
    await client.close();
    await eventually(() => open.size === 0);
  });

  it('is closed after the request that uses it when the client closes', async () => {
    let answer: (() => void) | undefined;
    let closed: Promise<unknown> | undefined;
    const server = await serve(async (socket) => {
      closed = once(socket, 'close');
      await readRequest(socket);
      answer = () => void socket.write(http('200 OK'));
      await readRequest(socket);
    });
    const sending = send(client, server.url);
    await eventually(() => answer !== undefined);
    const closing = Promise.all([client.close(), client.close()]);
    answer?.();
    expect(toOutcome(await sending)).to.include({ outcome: 'succeeded' });
    await closing;
    await closed;
  });

  const cuts: readonly (readonly [string, Play])[] = [
    ['resets', (socket) => void socket.resetAndDestroy()],
    ['closes', (socket) => void socket.end()],
  ];
  for (const [what, cut] of cuts) {
    it(`is not replaced when the receiver reads the request and ${what} it`, async () => {
      let requests = 0;
      const server = await serve(async (socket, number) => {
        await readRequest(socket);
        requests += 1;
        socket.write(http('200 OK'));
        await readRequest(socket);
        requests += 1;
        await cut(socket, number);
      });
      await send(client, server.url);
      const result = await send(client, server.url);
      expect(toOutcome(result)).to.deep.equal(failed);
      expect(result).to.include({ redialed: false, reusedConnection: true });
      expect({ requests, connections: server.connections }).to.deep.equal({
        requests: 2,
        connections: 1,
      });
    });
  }

  it('is not replaced once a byte of the response came', async () => {
    const server = await serve(async (socket) => {
      await readRequest(socket);
      socket.write(http('200 OK'));
      await readRequest(socket);
      socket.end('HTTP/1.1 2');
    });
    await send(client, server.url);
    const result = await send(client, server.url);
    expect(toOutcome(result)).to.deep.equal(failed);
    expect(result.redialed).to.equal(false);
    expect(server.connections).to.equal(1);
  });

  it('is replaced once when it is closed before the request is written', async () => {
    const sockets: Socket[] = [];
    const requests: number[] = [];
    const server = await serve(async (socket, number) => {
      sockets.push(socket);
      while ((await readRequest(socket)) !== undefined) {
        requests.push(number);
        if (number < 3) socket.write(http('200 OK'));
        else socket.resetAndDestroy();
      }
    });
    await Promise.all([send(client, server.url), send(client, server.url)]);
    await nextTurn();
    // The client takes a connection now, and sees in its next turn that it is closed.
    for (const socket of sockets) socket.resetAndDestroy();
    const result = await send(client, server.url);
    expect(toOutcome(result)).to.deep.equal(failed);
    expect(result).to.include({ redialed: true, reusedConnection: false });
    expect(requests).to.have.members([1, 2, 3]);
  });

  it('is replaced when the receiver closed it before a request', async () => {
    let closed: Promise<unknown> | undefined;
    const server = await serve(async (socket, number) => {
      closed = once(socket, 'close');
      await readRequest(socket);
      socket.write(http('200 OK'));
      if (number === 1) socket.end();
      else await readRequest(socket);
    });
    await send(client, server.url);
    await closed;
    const result = await send(client, server.url);
    expect(toOutcome(result)).to.include({ outcome: 'succeeded' });
    expect(result.redialed).to.equal(false);
    expect(server.connections).to.equal(2);
  });

  it('is closed when the receiver answers what nobody asked', async () => {
    const server = await serve(answerAll(`${http('200 OK')}${http('500 Unasked')}`));
    for (const connections of [1, 2]) {
      expect(toOutcome(await send(client, server.url))).to.include({ status: 200 });
      expect(server.connections).to.equal(connections);
    }
  });
});
