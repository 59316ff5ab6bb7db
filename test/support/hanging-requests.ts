import { once } from 'node:events';
import { connect } from 'node:net';

/** Where requests go, and from which address; the host trusts the proxy that names it. */
export interface HangingRequest {
  readonly port: number;
  readonly path: string;
  readonly address: string;
  /** @defaultValue application/json */
  readonly type?: string;
}

/**
 * Opens requests whose bodies never end, and waits until the server has begun to answer each.
 * @returns closes them
 */
export async function hangingRequests(
  { port, path, address, type = 'application/json' }: HangingRequest,
  count: number,
): Promise<() => void> {
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    // Node answers the expectation when it hands out the request.
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\nExpect: 100-continue\r\n` +
        `Content-Type: ${type}\r\nContent-Length: 1000\r\n\r\n[`,
    );
    return socket;
  });
  await Promise.all(sockets.map((socket) => once(socket, 'data')));
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}
