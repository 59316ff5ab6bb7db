import type { IncomingMessage } from 'node:http';

/** A request of node:http, with the two places where a host's parser may have left the body. */
export interface DeliveryRequest extends IncomingMessage {
  readonly body?: unknown;
  readonly rawBody?: unknown;
}

/** The body in its available form: raw, or as a parser left it. */
export type RawBody =
  | { readonly state: 'read'; readonly content: unknown }
  | { readonly state: 'too_large' }
  | { readonly state: 'aborted' };

/** Events are at most 256 KiB; a much larger body is not a delivery. */
export const MAX_BODY_BYTES = 1_048_576;
/** Most bodies are shorter. */
const FIRST_BYTES = 16_384;

/**
 * Finds or reads the unmodified body of a request.
 * `rawBody` (kept by many platforms, or by the `verify` hook of express.json) comes first, then
 * what express.raw or express.text left in `body`, then the stream itself if nothing has read it.
 * The server's own `requestTimeout` bounds the wait for a slow sender.
 */
export async function readRawBody(request: DeliveryRequest): Promise<RawBody> {
  for (const kept of [request.rawBody, request.body]) {
    if (typeof kept === 'string' || kept instanceof Uint8Array) {
      const length = Buffer.byteLength(kept);
      return length > MAX_BODY_BYTES ? { state: 'too_large' } : { state: 'read', content: kept };
    }
  }
  // Express 4 parsers set `body` to {} without reading a type that is not theirs: ask the stream.
  if (request.readableDidRead || request.readableEnded) {
    return { state: 'read', content: request.body };
  }
  // Its events are over: nothing would end the wait for them.
  if (request.destroyed) return { state: 'aborted' };
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) {
    request.resume();
    return { state: 'too_large' };
  }
  return readStream(request);
}

function readStream(request: DeliveryRequest): Promise<RawBody> {
  return new Promise((resolve) => {
    // Copied, because each piece of a body in chunks of one byte would need a hundred bytes.
    let body = Buffer.allocUnsafe(FIRST_BYTES);
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      const from = length;
      length += chunk.length;
      if (length > MAX_BODY_BYTES) {
        // The rest is read and discarded, so that the sender can read the answer.
        body = Buffer.alloc(0);
        resolve({ state: 'too_large' });
        return;
      }
      if (length > body.length) {
        const grown = Buffer.allocUnsafe(Math.max(length, body.length * 2));
        body.copy(grown, 0, 0, from);
        body = grown;
      }
      chunk.copy(body, from);
    });
    request.once('end', () => resolve({ state: 'read', content: body.subarray(0, length) }));
    request.once('error', () => resolve({ state: 'aborted' }));
    request.once('close', () => resolve({ state: 'aborted' }));
  });
}
