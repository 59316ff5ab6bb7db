import type { ServerResponse } from 'node:http';
import type { HeldBytes, RouteResponse } from '@paymount/http';

/** Smaller answers leave the process at once: they fit into what the system keeps for a connection. */
const LARGE_BYTES = 65_536;
/** A client that needs longer for an answer is disconnected, so that it does not keep it in memory. */
const SEND_LIMIT_MS = 120_000;

/**
 * Counts a large answer to a read, until its client has taken it. Answers to changes are small, and
 * must not be refused after the change.
 * @throws PaymountError `bytes_limit_reached`, `bodies_busy`
 */
export function holdAnswer(
  held: HeldBytes | undefined,
  { status, body }: RouteResponse,
  response: ServerResponse,
): void {
  const isRead = response.req.method === 'GET';
  const isLarge = status === 200 && isRead && body.length >= LARGE_BYTES;
  if (held === undefined || !isLarge || response.destroyed) return;
  held.take(Buffer.byteLength(body));
  const timer = setTimeout(() => response.destroy(), SEND_LIMIT_MS);
  response.once('close', () => clearTimeout(timer));
}

/**
 * Gives back what a request had in memory, once its work is done and its response is closed: a client
 * that has gone does not end the work.
 */
export function releaseWhenClosed(held: HeldBytes | undefined, response: ServerResponse): void {
  if (held === undefined) return;
  // It emitted `close` already if it is destroyed.
  if (response.destroyed) held.release();
  else response.once('close', () => held.release());
}
