import type { ServerResponse } from 'node:http';
import { type HeldBytes, LARGE_ANSWER_BYTES, type RouteResponse } from '@paymount/http';

/** A client that needs longer for an answer is disconnected, so that it does not keep it in memory. */
const SEND_LIMIT_MS = 120_000;

/**
 * Counts a large answer until its client has taken it. The parts of an answer to a read were counted
 * as they were written; an answer to a change is counted here, and never refused after the change.
 */
export function holdAnswer(
  held: HeldBytes | undefined,
  { body }: RouteResponse,
  response: ServerResponse,
): void {
  if (held === undefined || body.length < LARGE_ANSWER_BYTES || response.destroyed) return;
  if (typeof body === 'string') held.add(Buffer.byteLength(body));
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
