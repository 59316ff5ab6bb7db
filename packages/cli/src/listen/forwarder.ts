import type { IncomingMessage } from 'node:http';
import { signDelivery } from 'paymount-receiver/internal';
import { usage } from '../command-line/command-failure.ts';
import { isLoopback, parseUrl, type Resolve } from '../loopback.ts';
import { describeConnectionError } from '../plain-text.ts';
import { sendRequest } from '../send-request.ts';
import type { StreamedEvent } from './event-source.ts';

/** The result for one event. */
export interface Forwarded {
  /** The status of the response; undefined without one. */
  readonly status?: number;
  readonly error?: string;
  /** The time until the response headers or the error. */
  readonly ms: number;
}

export interface ForwarderOptions {
  /** By `forwardAddress`. */
  readonly url: string;
  readonly secret: string;
  readonly stop: AbortSignal;
  /** As of `OutgoingRequest`. */
  readonly resolve?: Resolve;
  /** @defaultValue 30 s */
  readonly limitMs?: number;
}

const LIMIT_MS = 30_000;
const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * Validates the address to which `listen` forwards. It must be on this machine, because test events
 * are private too. It is checked before any connection, and again when it connects.
 * @throws CommandFailure 2
 */
export function forwardAddress(text: string): string {
  const url = parseUrl('--forward-to', text);
  if (!isLoopback(url.hostname)) {
    throw usage(
      '--forward-to must be on this machine: localhost, 127.0.0.1 or [::1]. Register an endpoint for an address elsewhere.',
    );
  }
  return url.href;
}

/** Forwards events like deliveries: the same bytes, with a new signature, without redirects. */
export class Forwarder {
  readonly #options: ForwarderOptions;

  constructor(options: ForwarderOptions) {
    this.#options = options;
  }

  /** Never throws. */
  async forward({ id, body }: StreamedEvent): Promise<Forwarded> {
    const { url, secret, stop, resolve, limitMs = LIMIT_MS } = this.#options;
    const startedMs = performance.now();
    const elapsed = (): number => Math.round(performance.now() - startedMs);
    try {
      const response = await sendRequest({
        method: 'POST',
        url,
        headers: {
          'Content-Type': 'application/json; charset=utf-8',
          'Accept-Encoding': 'identity',
          'User-Agent': 'Paymount/0.1 (listen)',
          ...signDelivery({
            body,
            eventId: id,
            secrets: [secret],
            timestampSeconds: Math.floor(Date.now() / 1_000),
          }),
        },
        body,
        signal: stop,
        limitMs,
        toLoopback: true,
        ...(resolve && { resolve }),
      });
      const { statusCode: status = 0 } = response;
      const ms = elapsed();
      leave(response);
      return { status, ms };
    } catch (error) {
      return { error: describeConnectionError(error), ms: elapsed() };
    }
  }
}

/** The status decides. A small body is read to its end, so that the connection closes cleanly. */
function leave(response: IncomingMessage): void {
  let bytes = 0;
  response.on('error', () => undefined);
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) response.destroy();
  });
  const timer = setTimeout(() => response.destroy(), 2_000);
  response.once('close', () => clearTimeout(timer));
}
