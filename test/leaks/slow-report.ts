import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A report whose headers have arrived, and which holds its place until its body is there. */
export interface SlowReport {
  /** Sends a part of the body, or its rest. */
  write(text: string): void;
  /** Status and body of the answer, once it is whole. */
  readonly answer: Promise<{ readonly status: number; readonly body: string }>;
  /** Breaks the connection off, answered or not. */
  destroy(): void;
}

/** The headers by which a trusted proxy tells who its client is. */
export function forwardedFor(address: string): Record<string, string> {
  return { 'x-forwarded-for': address, 'x-forwarded-proto': 'https' };
}

/**
 * Sends the head of a report by a proxy, in the name of `address`, and waits until the server has
 * begun to handle it: that is when Node sends `100 Continue`.
 * @param bytes how long the body is said to be
 */
export async function startSlowReport(
  port: number,
  address: string,
  { headers, bytes }: { readonly headers: Record<string, string>; readonly bytes: number },
): Promise<SlowReport> {
  const socket = connect(port, '127.0.0.1');
  socket.setEncoding('utf8');
  // The server may close first, while a part is under way.
  socket.on('error', () => undefined);
  const lines = Object.entries({
    host: 'shop.example',
    connection: 'close',
    expect: '100-continue',
    'content-length': String(bytes),
    ...forwardedFor(address),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST /leaks/github HTTP/1.1\r\n${lines.join('')}\r\n`);
  const [first] = (await once(socket, 'data')) as [string];
  const [interim, begun = ''] = split(first, '\r\n\r\n');
  if (!interim.startsWith('HTTP/1.1 100 ')) throw new Error(`It was answered with ${interim}`);
  return {
    write: (text) => void socket.write(text),
    answer: readAnswer(socket, begun),
    destroy: () => socket.destroy(),
  };
}

async function readAnswer(
  socket: Socket,
  begun: string,
): Promise<{ status: number; body: string }> {
  let text = begun;
  socket.on('data', (chunk: string) => {
    text += chunk;
  });
  await once(socket, 'close');
  const [head, body = ''] = split(text, '\r\n\r\n');
  return { status: Number(head.split(' ')[1]), body };
}

function split(text: string, at: string): readonly [string, string?] {
  const index = text.indexOf(at);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + at.length)];
}
