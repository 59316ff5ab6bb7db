import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: Record<string, unknown>;
  readonly error: Record<string, unknown>;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string | Buffer;
  /** @defaultValue sk */
  readonly key?: string;
}

/** Sends one request, as written: nothing is added to it but the key and the length. */
export async function ask(url: string, { method, headers, body, key }: Ask = {}): Promise<Reply> {
  const request = httpRequest(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(key === '' ? {} : { authorization: `Bearer ${key ?? 'sk'}` }),
      ...(body === undefined || headers?.['transfer-encoding'] !== undefined
        ? {}
        : { 'content-length': Buffer.byteLength(body) }),
      ...headers,
    },
    agent: false,
  });
  request.end(body);
  const [response] = await once(request, 'response');
  return readReply(response);
}

/** Reads an answer to its end. */
export async function readReply(response: IncomingMessage): Promise<Reply> {
  // A stream goes on as long as it is read: its head is all there is to it here.
  if (response.headers['content-type']?.startsWith('text/event-stream')) {
    response.destroy();
    const { statusCode: status = 0, headers } = response;
    return { status, headers, text: '', json: {}, error: {} };
  }
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  const type = response.headers['content-type'] ?? '';
  const isOther = /^(?:application\/x-ndjson|text\/)/.test(type);
  const json = text === '' || isOther ? {} : JSON.parse(text);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text,
    json,
    error: json.error ?? {},
  };
}

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
export const JSON_TYPE = { 'content-type': 'application/json' };

export function postJson(url: string, body: unknown, more: Ask = {}): Promise<Reply> {
  const headers = { ...JSON_TYPE, ...more.headers };
  return ask(url, { ...more, method: 'POST', headers, body: asText(body) });
}

export function postForm(url: string, body: string, more: Ask = {}): Promise<Reply> {
  return ask(url, { method: 'POST', ...more, headers: { ...FORM, ...more.headers }, body });
}

function asText(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/** What a read of many has found: the objects of a list, or the endpoints of a summary. */
export function foundIn({ json }: Reply): unknown {
  return json['object'] === 'list' ? json['data'] : json['endpoints'];
}
