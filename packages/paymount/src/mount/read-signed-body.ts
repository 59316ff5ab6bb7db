import type { IncomingMessage } from 'node:http';
import { PaymountError, untilAborted, withTimeout } from '@paymount/core/kernel';
import { readRawBody } from 'paymount-receiver/internal';

/** What the sender sends, and how long it may take. */
interface Expected {
  /** As a sentence begins, such as `A notice`. */
  readonly what: string;
  readonly limitMs: number;
  /** Ends the reading when it aborts. */
  readonly signal: AbortSignal;
}

/**
 * The bytes that the sender signed; at most a mebibyte.
 * @throws PaymountError `body_too_large`, `body_timeout`, `invalid_json` when the connection closes
 *   before the end, `raw_body_unavailable` if a parser of the host has consumed them; and the
 *   reason of the signal
 */
export async function readSignedBody(
  request: IncomingMessage,
  { what, limitMs, signal }: Expected,
): Promise<Buffer> {
  const body = await withTimeout(untilAborted(readRawBody(request), signal), limitMs, () => {
    const message = `${what} must arrive within ${limitMs / 1_000} seconds.`;
    throw new PaymountError('body_timeout', message);
  });
  if (body.state === 'too_large') {
    throw new PaymountError('body_too_large', `${what} has at most 1,048,576 bytes.`);
  }
  if (body.state === 'aborted') {
    throw new PaymountError('invalid_json', 'The connection closed before the body ended.');
  }
  const { content } = body;
  if (typeof content === 'string') return Buffer.from(content);
  if (content instanceof Uint8Array) return Buffer.from(content);
  throw new PaymountError('raw_body_unavailable');
}
