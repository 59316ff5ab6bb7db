import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/** Plays one connection; `number` counts connections from 1. */
export type Play = (socket: Socket, number: number) => void | Promise<void>;

/** A server that speaks bytes, for receivers that break the rules of HTTP. */
export interface RawServer {
  readonly port: number;
  /** `http://127.0.0.1:<port>/hook`, or https on `localhost`. */
  readonly url: string;
  readonly connections: number;
  close(): Promise<void>;
}

/** Listens on loopback and plays every connection; `close()` it after the test. */
export async function startRawServer(play: Play, tls?: TlsOptions): Promise<RawServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const listener = (socket: Socket): void => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // A client that gives up is what many of these tests want.
    socket.on('error', () => undefined);
    Promise.resolve(play(socket, connections)).catch((error: Error) => socket.destroy(error));
  };
  const server: Server =
    tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: tls === undefined ? `http://127.0.0.1:${port}/hook` : `https://localhost:${port}/hook`,
    get connections() {
      return connections;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Reads one request with a `content-length`; undefined when the client hangs up before its end. */
export async function readRequest(
  socket: Socket,
): Promise<{ readonly head: string; readonly body: Buffer } | undefined> {
  let received = Buffer.alloc(0);
  while (!socket.destroyed && !socket.readableEnded) {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) {
      await Promise.race([once(socket, 'readable'), once(socket, 'close')]).catch(() => undefined);
      continue;
    }
    received = Buffer.concat([received, chunk]);
    const end = received.indexOf('\r\n\r\n');
    if (end === -1) continue;
    const head = received.subarray(0, end).toString('latin1');
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    const body = received.subarray(end + 4);
    if (body.length >= length) return { head, body };
  }
  return undefined;
}

/** Answers each request of each connection with these bytes. */
export function answerAll(answer: string | Buffer): Play {
  return async (socket) => {
    while ((await readRequest(socket)) !== undefined) socket.write(answer);
  };
}

/** An answer with this status line, headers and body, and a matching `content-length`. */
export function http(status: string, headers: readonly string[] = [], body = ''): string {
  const lines = [`HTTP/1.1 ${status}`, ...headers, `content-length: ${Buffer.byteLength(body)}`];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** The servers of one file: `serve` starts one, and `close` closes those that it started. */
export function rawServers() {
  const servers: RawServer[] = [];
  return {
    async serve(play: Play, tls?: TlsOptions): Promise<RawServer> {
      const server = await startRawServer(play, tls);
      servers.push(server);
      return server;
    },
    async close(): Promise<void> {
      await Promise.all(servers.splice(0).map((server) => server.close()));
    },
  };
}
