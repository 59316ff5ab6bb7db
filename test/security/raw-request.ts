import { once } from 'node:events';
import { connect } from 'node:net';

/** How long a server may keep a connection open that nobody uses, before it is hung up. */
const PATIENCE_MS = 300;

/** One answer as it came over the wire. */
export interface RawAnswer {
  readonly status: string;
  /** Header lines and body. */
  readonly text: string;
}

/**
 * Sends bytes as they are: what no client library would let through.
 * @returns every answer on the connection, in order
 */
export async function sendRaw(port: number, bytes: string): Promise<readonly RawAnswer[]> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    received += part;
  });
  socket.on('error', () => undefined);
  socket.write(bytes);
  const done = once(socket, 'close');
  const timer = setTimeout(() => socket.end(), PATIENCE_MS);
  await done;
  clearTimeout(timer);
  return received
    .split(/^(?=HTTP\/1\.1 \d{3})/m)
    .filter((text) => text !== '')
    .map((text) => ({ status: text.slice('HTTP/1.1 '.length, 'HTTP/1.1 '.length + 3), text }));
}

/**
 * One request whose target and header lines are sent as written; the server closes after it.
 * @param lines header lines besides `Host` and `Connection`, without their line ends
 * @param body what follows the head
 */
export async function askRaw(
  port: number,
  start: string,
  { lines = [], body = '' }: { readonly lines?: readonly string[]; readonly body?: string } = {},
): Promise<RawAnswer> {
  const head = [`${start} HTTP/1.1`, 'Host: shop', 'Connection: close', ...lines];
  const [answer] = await sendRaw(port, `${head.join('\r\n')}\r\n\r\n${body}`);
  return answer ?? { status: 'none', text: '' };
}
