import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

const ANSWER_LIMIT_MS = 30_000;
/** A busy machine may answer 503, with which nothing was done. */
const MAX_TRIES = 3;
const RETRY_MS = 1_000;

/** One response of the API. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

type Fields = Readonly<Record<string, string>>;

/** Calls the API like any client, with the key as user name. */
export function callApi(
  mount: { readonly baseUrl: string },
  key: string,
  path: string,
  fields?: Fields,
): Promise<ApiAnswer> {
  const basic = Buffer.from(`${key}:`).toString('base64');
  return call(mount.baseUrl + path, `Basic ${basic}`, fields);
}

/** The same, for calls that must succeed. @throws Error with the API's error */
export async function callApiOk(...sent: Parameters<typeof callApi>): Promise<ApiAnswer['body']> {
  return requireBody(sent[2], await callApi(...sent));
}

/** Calls the management API, which takes tokens, and must succeed. @throws Error as `callApiOk` */
export async function callManagementOk(
  api: { readonly baseUrl: string },
  token: string,
  path: string,
  fields?: Fields,
): Promise<ApiAnswer['body']> {
  return requireBody(path, await call(api.baseUrl + path, `Bearer ${token}`, fields));
}

/** A field of a response that must be a string. */
export function requireText(body: ApiAnswer['body'], name: string): string {
  const value = body[name];
  if (typeof value !== 'string') throw new Error(`The answer lacks ${name}.`);
  return value;
}

/** Sends 503 again under the same idempotency key, as the official SDKs do. */
async function call(url: string, authorization: string, fields?: Fields): Promise<ApiAnswer> {
  const key = randomUUID();
  const sent = () => ({
    headers: { authorization, ...(fields && { 'idempotency-key': key }) },
    signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    ...(fields && { method: 'POST', body: new URLSearchParams(fields) }),
  });
  let response = await fetch(url, sent());
  for (let tries = 1; response.status === 503 && tries < MAX_TRIES; tries += 1) {
    await pause(RETRY_MS);
    response = await fetch(url, sent());
  }
  const body: unknown = await response.json();
  if (typeof body !== 'object' || body === null) throw new Error(`${url} answered no object.`);
  return { status: response.status, headers: response.headers, body: { ...body } };
}

function requireBody(path: string, { status, body }: ApiAnswer): ApiAnswer['body'] {
  if (status === 200) return body;
  throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`);
}
