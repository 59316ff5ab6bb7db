import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Answer, ReceivedRequest } from './receiver.ts';

/** Carries out one answer of a receiver's script. */
export async function answer(
  what: Answer,
  request: ReceivedRequest,
  response: ServerResponse,
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

function misbehave(how: 'hang' | 'reset' | 'close' | 'garbage', { socket }: ReceivedRequest): void {
  if (how === 'reset') socket.resetAndDestroy();
  if (how === 'close') socket.destroy();
  if (how === 'garbage') socket.end('this is no HTTP\r\n\r\n');
}

function drip(
  { drip: part, everyMs, status = 200 }: Extract<Answer, { drip: unknown }>,
  { socket }: ReceivedRequest,
  response: ServerResponse,
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
