import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiSettings } from './api-settings.ts';
import { CommandFailure } from './command-line/command-failure.ts';
import { inFlags } from './flag-names.ts';
import { isObject, objectIn, stringField } from './json-value.ts';
import { describeConnectionError, plainText, systemErrorCode } from './plain-text.ts';
import { readText, sendRequest } from './send-request.ts';

const USER_AGENT = 'Paymount-CLI/0.1';

const LIMIT_MS = 30_000;
const MAX_ANSWER_BYTES = 4 * 2 ** 20;
const MAX_TRIES = 3;
const RETRY_WAIT_MS = 500;

interface Reply {
  readonly status: number;
  readonly text: string;
}

/**
 * Posts a request with retries; each try has the same `Idempotency-Key`, so it takes effect once.
 * @throws CommandFailure 1
 */
export async function post(
  { baseUrl, key }: ApiSettings,
  path: string,
  body: object,
): Promise<Readonly<Record<string, unknown>>> {
  const headers = {
    ...authorization(key),
    'Content-Type': 'application/json',
    'Idempotency-Key': randomUUID(),
  };
  const url = baseUrl + path;
  for (let tries = 1; ; tries += 1) {
    try {
      const reply = await postOnce({ url, headers, body: JSON.stringify(body) });
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

async function postOnce(sent: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}): Promise<Reply> {
  const signal = new AbortController().signal;
  const response = await sendRequest({ ...sent, method: 'POST', signal, limitMs: LIMIT_MS });
  const text = await readText(response, { maxBytes: MAX_ANSWER_BYTES, limitMs: LIMIT_MS });
  return { status: response.statusCode ?? 0, text };
}

function requireResult(reply: Reply): Readonly<Record<string, unknown>> {
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
