import { setTimeout as wait } from 'node:timers/promises';
import { Agent, request } from 'undici';

/** An answer of the API. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The exact body. */
  readonly text: string;
  /** The body as JSON, `{}` when it is none. */
  readonly json: Readonly<Record<string, unknown>>;
  /** `error.code`, when there is one. */
  readonly code: string | undefined;
}

/** A merchant's server: it knows a key, and may speak to several host processes. */
export interface ApiClient {
  get(url: string): Promise<ApiAnswer>;
  /** @throws Error when the connection broke: what became of the request is unknown */
  post(url: string, parameters: object, idempotencyKey?: string): Promise<ApiAnswer>;
  delete(url: string): Promise<ApiAnswer>;
  close(): Promise<void>;
}

const LIMIT_MS = 45_000;
/** A machine that is overloaded for a moment may answer 503; as the SDKs do, the client retries. */
const MAX_RETRIES = 8;
const RETRY_WAIT_MS = 300;

/**
 * A server of Node closes a connection that was idle for 5 s. On a busy machine a client must stop using it
 * long before, or its next request meets the end of the connection.
 */
const KEEP_ALIVE_MARGIN_MS = 4_000;

/** How patient a client is. */
export interface ApiClientOptions {
  /** How long it waits for an answer. @defaultValue 45 s */
  readonly limitMs?: number;
  /** How often it asks again after a 503. @defaultValue 8 */
  readonly maxRetries?: number;
}

/** Makes a client with connections of its own. */
export function apiClient(key: string, options: ApiClientOptions = {}): ApiClient {
  const { limitMs = LIMIT_MS, maxRetries = MAX_RETRIES } = options;
  const dispatcher = new Agent({
    connections: 64,
    pipelining: 1,
    keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
  });
  const authorization = `Bearer ${key}`;
  const sendOnce = async (url: string, options: SendOptions): Promise<ApiAnswer> => {
    const { statusCode, headers, body } = await request(url, {
      ...options,
      dispatcher,
      headers: { ...options.headers, authorization },
      headersTimeout: limitMs,
      bodyTimeout: limitMs,
    });
    return toAnswer(statusCode, headers, await body.text());
  };
  const send = async (url: string, options: SendOptions): Promise<ApiAnswer> => {
    for (let retries = 0; ; retries += 1) {
      const answer = await sendOnce(url, options);
      if (answer.status !== 503 || retries === maxRetries) return answer;
      await wait(RETRY_WAIT_MS);
    }
  };
  return {
    get: (url) => send(url, { method: 'GET' }),
    post: (url, parameters, idempotencyKey) =>
      send(url, {
        method: 'POST',
        body: JSON.stringify(parameters),
        headers: {
          'content-type': 'application/json',
          ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
        },
      }),
    delete: (url) => send(url, { method: 'DELETE' }),
    close: () => dispatcher.destroy(),
  };
}

interface SendOptions {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

function toAnswer(status: number, headers: ApiAnswer['headers'], text: string): ApiAnswer {
  const json = parse(text);
  const error = json['error'] as { readonly code?: string } | undefined;
  return { status, headers, text, json, code: error?.code };
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
