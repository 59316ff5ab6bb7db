import type http from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';

/** One request as it arrived. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  /** Lower-case names; repeated ones joined by node's rules. */
  readonly headers: http.IncomingHttpHeaders;
  /** Names and values as sent, in order. */
  readonly rawHeaders: readonly string[];
  /** The bytes of the body, untouched. */
  readonly body: Buffer;
  /** Monotonic, comparable to `performance.now()`: when the body had arrived. */
  readonly receivedAtMs: number;
  readonly socket: Socket | TLSSocket;
}

/** What the receiver does with one request; a number is a status with an empty body. */
export type Answer =
  | number
  /** Takes the request and never answers. */
  | 'hang'
  /** Answers with a TCP reset. */
  | 'reset'
  /** Closes the connection without an answer. */
  | 'close'
  /** Answers bytes that are not HTTP. */
  | 'garbage'
  /** Answers 101, and leaves the connection open. */
  | 'upgrade'
  | {
      readonly status: number;
      readonly headers?: http.OutgoingHttpHeaders;
      readonly body?: string | Buffer;
      /** Waits before the first byte of the answer. */
      readonly afterMs?: number;
    }
  | { readonly redirect: string; readonly status?: number }
  /** Sends one header, or one byte of the body, at each interval, and never finishes. */
  | { readonly drip: 'headers' | 'body'; readonly everyMs: number; readonly status?: number }
  | ((request: ReceivedRequest) => Answer | Promise<Answer>);

/** Carries out one answer of a receiver's script. */
export async function answer(
  what: Answer,
  request: ReceivedRequest,
  response: http.ServerResponse,
): Promise<void> {
  if (typeof what === 'function') return answer(await what(request), request, response);
  if (typeof what === 'number') return answer({ status: what }, request, response);
  if (typeof what === 'string') return misbehave(what, request);
  if ('drip' in what) return drip(what, request, response);
  if ('redirect' in what) {
    response.writeHead(what.status ?? 302, { location: what.redirect }).end();
    return;
  }
  if (what.afterMs !== undefined) await wait(what.afterMs);
  response.writeHead(what.status, what.headers).end(what.body);
}

function misbehave(how: Extract<Answer, string>, { socket }: ReceivedRequest): void {
  if (how === 'reset') socket.resetAndDestroy();
  if (how === 'close') socket.destroy();
  if (how === 'garbage') socket.end('this is no HTTP\r\n\r\n');
  if (how === 'upgrade') {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n');
  }
}

function drip(
  { drip: part, everyMs, status = 200 }: Extract<Answer, { drip: unknown }>,
  { socket }: ReceivedRequest,
  response: http.ServerResponse,
): void {
  if (part === 'body') response.writeHead(status, { 'content-type': 'text/plain' });
  else socket.write(`HTTP/1.1 ${status} OK\r\n`);
  let sent = 0;
  const timer = setInterval(() => {
    sent += 1;
    if (part === 'body') response.write('.');
    else socket.write(`x-drip-${sent}: ${sent}\r\n`);
  }, everyMs);
  socket.once('close', () => clearInterval(timer));
}
