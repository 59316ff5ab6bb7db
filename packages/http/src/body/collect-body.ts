import type { IncomingMessage } from 'node:http';
import { PaymountError } from '@paymount/core/kernel';
import type { HeldBytes } from './bytes-in-flight.ts';
import { MAX_BODY_BYTES } from './check-tree.ts';
import { GrowingBuffer } from './growing-buffer.ts';

/** The time in which a body must arrive, from its first byte to its last. */
export const BODY_TIMEOUT_MS = 10_000;
/** How much a body may exceed its limit and is still read, so that its sender can read the answer. */
const DRAINED_BYTES = 524_288;

/** How a body is read. */
export interface BodyLimits {
  /** The whole body must arrive within it. @defaultValue 10,000 */
  readonly timeoutMs?: number;
  /** @defaultValue 524,288 */
  readonly maxBytes?: number;
  /** Counts the bytes that are in memory. @defaultValue they are not counted */
  readonly held?: HeldBytes;
  /** Ends the reading when it aborts. @defaultValue only the other limits end it */
  readonly signal?: AbortSignal;
}

/**
 * Reads an unread body.
 * @throws PaymountError `body_too_large` beyond the limit, `body_timeout`, `invalid_json` when the
 *   connection closes half-way, `bytes_limit_reached`, `bodies_busy`; the reason of the signal
 */
export function collectBody(
  request: IncomingMessage,
  { timeoutMs = BODY_TIMEOUT_MS, maxBytes = MAX_BODY_BYTES, held, signal }: BodyLimits = {},
): Promise<Buffer> {
  const maxDrained = maxBytes + DRAINED_BYTES;
  if (Number(request.headers['content-length'] ?? 0) > maxDrained) {
    return Promise.reject(bodyTooLarge(maxBytes));
  }
  // Its events are over: nothing would end the wait for them.
  if (request.destroyed) return Promise.reject(closedHalfWay());
  return new Promise((resolve, reject) => {
    let body: GrowingBuffer | undefined = new GrowingBuffer(maxBytes);
    let refusal: unknown;
    let size = 0;
    const timer = setTimeout(() => settle(new PaymountError('body_timeout')), timeoutMs);

    function onData(chunk: Buffer | string): void {
      // A host that called setEncoding() hands out text.
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      size += bytes.length;
      if (size > maxDrained) settle(bodyTooLarge(maxBytes));
      else if (size > maxBytes) refuse(bodyTooLarge(maxBytes));
      else if (body !== undefined) keep(body, bytes);
    }
    function keep(kept: GrowingBuffer, bytes: Buffer): void {
      try {
        held?.take(bytes.length);
        kept.append(bytes);
      } catch (error) {
        refuse(error);
      }
    }
    /** The rest is read and dropped, so that the sender can read the answer. */
    function refuse(error: unknown): void {
      refusal ??= error;
      body = undefined;
      held?.release();
    }
    const onEnd = (): void => settle(refusal);
    const onClose = (): void => settle(closedHalfWay());
    const onAbort = (): void => settle(signal?.reason);
    function settle(error: unknown): void {
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      signal?.removeEventListener('abort', onAbort);
      if (error === undefined) {
        resolve(body?.read() ?? Buffer.alloc(0));
        return;
      }
      // Without this, an error after we stopped listening would end the process.
      request.on('error', () => undefined);
      request.pause();
      reject(error);
    }
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
    signal?.addEventListener('abort', onAbort);
  });
}

function closedHalfWay(): PaymountError {
  return new PaymountError('invalid_json', 'The connection closed before the body ended.');
}

/** A body that is larger than its route takes. */
export function bodyTooLarge(maxBytes: number): PaymountError {
  if (maxBytes >= MAX_BODY_BYTES) return new PaymountError('body_too_large');
  const limit = maxBytes.toLocaleString('en-US');
  return new PaymountError('body_too_large', `The body has more than ${limit} bytes.`);
}
