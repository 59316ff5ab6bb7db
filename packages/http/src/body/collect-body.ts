import type { IncomingMessage } from 'node:http';
import { PaymountError } from '@paymount/core/kernel';
import { MAX_BODY_BYTES } from './check-tree.ts';

/** The time in which a body must arrive, from its first byte to its last. */
export const BODY_TIMEOUT_MS = 10_000;
/** How much a body may exceed its limit and is still read, so that its sender can read the answer. */
const DRAINED_BYTES = 524_288;

/**
 * Reads an unread body.
 * @param timeoutMs the whole body must arrive within it
 * @param maxBytes its limit
 * @throws PaymountError `body_too_large` beyond the limit, `body_timeout`, `invalid_json` when the
 *   connection closes half-way
 */
export function collectBody(
  request: IncomingMessage,
  timeoutMs = BODY_TIMEOUT_MS,
  maxBytes = MAX_BODY_BYTES,
): Promise<Buffer> {
  const maxDrained = maxBytes + DRAINED_BYTES;
  if (Number(request.headers['content-length'] ?? 0) > maxDrained) {
    return Promise.reject(new PaymountError('body_too_large'));
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => settle(new PaymountError('body_timeout')), timeoutMs);

    function onData(chunk: Buffer | string): void {
      // A host that called setEncoding() hands out text.
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      size += bytes.length;
      if (size <= maxBytes) chunks.push(bytes);
      else if (size > maxDrained) settle(new PaymountError('body_too_large'));
    }
    function onEnd(): void {
      settle(size > maxBytes ? new PaymountError('body_too_large') : undefined);
    }
    function onClose(): void {
      settle(new PaymountError('invalid_json', 'The connection closed before the body ended.'));
    }
    function settle(error: PaymountError | undefined): void {
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      if (error === undefined) {
        resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
        return;
      }
      // Without this, an error after we stopped listening would end the process.
      request.on('error', () => undefined);
      request.pause();
      reject(error);
    }
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}
