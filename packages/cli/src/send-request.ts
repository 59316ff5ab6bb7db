import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { loopbackLookup, type Resolve } from './loopback.ts';

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** The time limit for the response headers. */
  readonly limitMs: number;
  /**
   * For this machine only, whose certificates are self-signed.
   * @defaultValue for plain http, over which a key may not go to another machine
   */
  readonly toLoopback?: true;
  /** Its results are checked as well. @defaultValue the system's */
  readonly resolve?: Resolve;
}

/**
 * Sends one request and returns its response with an unread body. It does not follow redirects.
 * @throws Error if there is no connection, or no response in time
 */
export function sendRequest(outgoing: OutgoingRequest): Promise<IncomingMessage> {
  const { url, body, limitMs, toLoopback } = outgoing;
  const isPlain = url.startsWith('http:');
  const options = {
    method: outgoing.method,
    headers: {
      ...outgoing.headers,
      ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }),
    },
    // A separate agent, because the global one may be configured to use a proxy.
    agent: false as const,
    signal: outgoing.signal,
    ...((isPlain || toLoopback) && { lookup: loopbackLookup(outgoing.resolve) }),
  };
  return new Promise((resolve, reject) => {
    const request = isPlain
      ? httpRequest(url, options)
      : httpsRequest(url, { ...options, rejectUnauthorized: toLoopback !== true });
    const timer = setTimeout(() => {
      request.destroy(lateError(`no answer within ${limitMs / 1_000} s`));
    }, limitMs);
    request.once('close', () => {
      clearTimeout(timer);
      reject(new Error('the connection ended without an answer'));
    });
    request.once('error', reject);
    // Without this listener, Node closes the connection without an error.
    request.once('upgrade', ({ statusCode }, socket) => {
      socket.destroy();
      reject(new Error(`it answered ${statusCode}, another protocol that nobody asked for`));
    });
    request.once('response', (response) => {
      clearTimeout(timer);
      // The reader of the body gets errors that occur after the headers.
      request.on('error', () => undefined);
      resolve(response);
    });
    request.end(body);
  });
}

function lateError(message: string): Error {
  return Object.assign(new Error(message), { code: 'ETIMEDOUT' });
}

/** A chunk of a response, which Node leaves untyped. */
export function toBuffer(chunk: unknown): Buffer {
  return chunk instanceof Uint8Array ? Buffer.from(chunk) : Buffer.from(String(chunk));
}

/** Reads a response to its end. @throws Error for more than `maxBytes`, or after `limitMs` */
export async function readText(
  response: IncomingMessage,
  { maxBytes, limitMs }: { readonly maxBytes: number; readonly limitMs: number },
): Promise<string> {
  const timer = setTimeout(() => {
    response.destroy(lateError(`no whole answer within ${limitMs / 1_000} s`));
  }, limitMs);
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of response) {
      const part = toBuffer(chunk);
      bytes += part.length;
      if (bytes > maxBytes) throw new Error(`an answer of more than ${maxBytes} bytes`);
      chunks.push(part);
    }
    return Buffer.concat(chunks).toString('utf8');
  } finally {
    clearTimeout(timer);
  }
}
