import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiSettings } from './api-settings.ts';
import { CommandFailure } from './command-line/command-failure.ts';
import { inFlags } from './flag-names.ts';
import { isObject, objectIn, stringField } from './json-value.ts';
import { describeConnectionError, plainText, systemErrorCode } from './plain-text.ts';
import { type OutgoingRequest, readText, sendRequest } from './send-request.ts';

const USER_AGENT = 'Paymount-CLI/0.1';

const LIMIT_MS = 30_000;
const MAX_ANSWER_BYTES = 4 * 2 ** 20;
const MAX_TRIES = 3;
const RETRY_WAIT_MS = 500;

interface Reply {
  readonly status: number;
  readonly text: string;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * Posts a request with retries; each try has the same `Idempotency-Key`, so it takes effect once.
 * @throws CommandFailure 1
 */
export function post(settings: ApiSettings, path: string, body: object): Promise<Json> {
  return write(settings, { method: 'POST', path, body });
}

/** The same with DELETE. @throws CommandFailure 1 */
export function remove(settings: ApiSettings, path: string, body: object): Promise<Json> {
  return write(settings, { method: 'DELETE', path, body });
}

/**
 * Reads, with retries.
 * @param query parameters; undefined ones are left out
 * @throws CommandFailure 1
 */
export function read(
  { baseUrl, key }: ApiSettings,
  path: string,
  query: Readonly<Record<string, string | undefined>> = {},
): Promise<Json> {
  const asked = Object.entries(query).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  const text = new URLSearchParams(asked).toString();
  const url = `${baseUrl}${path}${text === '' ? '' : `?${text}`}`;
  return send({ method: 'GET', url, headers: authorization(key) });
}

function write(
  { baseUrl, key }: ApiSettings,
  { method, path, body }: { method: 'POST' | 'DELETE'; path: string; body: object },
): Promise<Json> {
  const headers = {
    ...authorization(key),
    'Content-Type': 'application/json',
    'Idempotency-Key': randomUUID(),
  };
  return send({ method, url: baseUrl + path, headers, body: JSON.stringify(body) });
}

/** What is sent, each time in the same way. */
type Sent = Pick<OutgoingRequest, 'method' | 'url' | 'headers' | 'body'>;

async function send(sent: Sent): Promise<Json> {
  for (let tries = 1; ; tries += 1) {
    try {
      const reply = await sendOnce(sent);
      if (!isPassing(reply) || tries === MAX_TRIES) return requireResult(reply);
    } catch (error) {
      if (error instanceof CommandFailure) throw error;
      if (!isCut(error) || tries === MAX_TRIES) throw unreachable(error);
    }
    await pause(tries * RETRY_WAIT_MS);
  }
}

/** Headers of every request. */
export function authorization(key: string): Record<string, string> {
  return { Authorization: `Bearer ${key}`, 'User-Agent': USER_AGENT };
}

/**
 * The message of an error response.
 * @throws nothing; an unreadable body gives a message that says so
 */
export async function readFailure(response: IncomingMessage): Promise<CommandFailure> {
  const limits = { maxBytes: MAX_ANSWER_BYTES, limitMs: LIMIT_MS };
  const text = await readText(response, limits).catch(() => '');
  return refused({ status: response.statusCode ?? 0, text });
}

/** The API did not respond. */
export function unreachable(error: unknown): CommandFailure {
  return new CommandFailure(
    1,
    'unreachable',
    `The API cannot be reached: ${describeConnectionError(error)}.`,
  );
}

async function sendOnce(sent: Sent): Promise<Reply> {
  const signal = new AbortController().signal;
  const response = await sendRequest({ ...sent, signal, limitMs: LIMIT_MS });
  const text = await readText(response, { maxBytes: MAX_ANSWER_BYTES, limitMs: LIMIT_MS });
  return { status: response.statusCode ?? 0, text };
}

function requireResult(reply: Reply): Json {
  if (reply.status !== 200) throw refused(reply);
  const result = objectIn(reply.text);
  if (result !== undefined) return result;
  throw new CommandFailure(1, 'answer_unknown', NO_API);
}

const NO_API =
  'The server at this address is not Paymount; the base URL must be the address before /v1.';

function refused({ status, text }: Reply): CommandFailure {
  const error = objectIn(text)?.['error'];
  if (!isObject(error)) {
    const code = status >= 300 && status < 400 ? 'redirect' : 'answer_unknown';
    return new CommandFailure(1, code, `${NO_API} (It answered ${status}.)`);
  }
  const requestId = stringField(error, 'request_id');
  const said = inFlags(stringField(error, 'message'), stringField(error, 'param'));
  const message = `${said}${requestId === '' ? '' : ` (${requestId})`}`;
  return new CommandFailure(1, plainText(stringField(error, 'code')), plainText(message));
}

/** Whether the same request may succeed a moment later. */
function isPassing({ status, text }: Reply): boolean {
  return status === 503 || (status === 409 && text.includes('"idempotency_key_in_use"'));
}

/** Whether the request may have arrived. Then it is worth another try, to get the response. */
function isCut(error: unknown): boolean {
  const code = systemErrorCode(error);
  return code === 'ECONNRESET' || code === 'EPIPE' || code === 'ETIMEDOUT';
}
