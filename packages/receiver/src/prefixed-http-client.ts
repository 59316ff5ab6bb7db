import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';

/** One answer, in the form that stripe-node reads. */
export interface SdkResponse {
  getStatusCode(): number;
  getHeaders(): Record<string, string | string[]>;
  getRawResponse(): IncomingMessage;
  toStream(streamCompleteCallback: () => void): Readable;
  toJSON(): Promise<unknown>;
}

/** What stripe-node asks of its `httpClient`. */
export interface SdkHttpClient {
  getClientName(): string;
  makeRequest(...request: SdkRequest): Promise<SdkResponse>;
}

type SdkRequest = [
  host: string,
  port: string,
  path: string,
  method: string,
  headers: object,
  requestData: string,
  protocol: string,
  timeoutMs: number,
];

const MAX_RESPONSE_BYTES = 33_554_432;
/** The code by which stripe-node tells a time-out from other connection errors. */
const TIMEOUT_CODE = 'ETIMEDOUT';

/**
 * An `httpClient` for the official `stripe` SDK that reaches a mount under a sub-path; the SDK
 * itself knows only hosts: `new Stripe(key, { host, httpClient: prefixedHttpClient('/payments') })`.
 * Answers are read whole before they are returned, so that a cut one is a connection error, which
 * the SDK retries under the same idempotency key.
 * @param prefix the path of the mount, beginning with a slash
 */
export function prefixedHttpClient(prefix: string): SdkHttpClient {
  const base = prefix.replace(/\/$/, '');
  if (!/^(?:\/[^/?#\s]+)*$/.test(base)) {
    throw new TypeError(`The prefix ${JSON.stringify(prefix)} is not a path like '/payments'.`);
  }
  const agents = {
    http: new http.Agent({ keepAlive: true }),
    https: new https.Agent({ keepAlive: true }),
  };
  return {
    getClientName: () => 'paymount',
    makeRequest: (...[host, port, path, method, headers, body, protocol, timeoutMs]) =>
      new Promise((resolve, reject) => {
        const insecure = protocol === 'http';
        const request = (insecure ? http : https).request(
          {
            host,
            port,
            method,
            path: base + path,
            headers: { ...headers },
            agent: insecure ? agents.http : agents.https,
          },
          (response) => {
            readWhole(response).then((whole) => resolve(sdkResponse(response, whole)), reject);
          },
        );
        request.setTimeout(timeoutMs, () => {
          const error = new Error(`No answer in ${timeoutMs} ms.`);
          request.destroy(Object.assign(error, { code: TIMEOUT_CODE }));
        });
        request.on('error', reject);
        request.end(body);
      }),
  };
}

async function readWhole(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  const stream: AsyncIterable<Buffer> = response;
  for await (const bytes of stream) {
    length += bytes.length;
    if (length > MAX_RESPONSE_BYTES) throw new Error('The answer exceeds 32 MiB.');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

function sdkResponse(response: IncomingMessage, body: Buffer): SdkResponse {
  return {
    getStatusCode: () => response.statusCode ?? 0,
    getHeaders: () => presentHeaders(response.headers),
    getRawResponse: () => response,
    toStream: (streamCompleteCallback) => Readable.from([body]).once('end', streamCompleteCallback),
    toJSON: async () => {
      const text = body.toString('utf8');
      try {
        const value: unknown = JSON.parse(text);
        return value;
      } catch (cause) {
        // stripe-node shows `rawBody` in its error about an answer that is not JSON.
        throw Object.assign(new SyntaxError('The answer is not JSON.', { cause }), {
          rawBody: text,
        });
      }
    },
  };
}

function presentHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const present: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) present[name] = value;
  }
  return present;
}
