import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { StoredResponse } from '@paymount/core/changes';
import { isError } from '@paymount/core/kernel';
import { CORS_HEADERS } from './cors.ts';
import type { WriteForm } from './stripe-form.ts';

/** The answer to be written to a response. */
export interface RouteResponse {
  readonly status: number;
  /**
   * JSON, unless the headers say otherwise; empty for 204. Bytes are sent as they are: they already
   * have the form that the request asks for.
   */
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer whose body is not in its final form yet. */
export interface TextResponse extends RouteResponse {
  readonly body: string;
}

/** An answer with any number of lines, each one JSON object; once begun its status is 200. */
export class Lines {
  readonly lines: AsyncIterable<object>;

  constructor(lines: AsyncIterable<object>) {
    this.lines = lines;
  }

  /** The same lines, after the first is available: earlier errors can still be answered. */
  async begun(): Promise<Lines> {
    const rest = this.lines[Symbol.asyncIterator]();
    return new Lines(continued(await rest.next(), rest));
  }
}

async function* continued(
  first: IteratorResult<object>,
  rest: AsyncIterator<object>,
): AsyncGenerator<object> {
  try {
    for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** An answer in plain text. */
export class PlainText {
  readonly text: string;
  /** Such as `text/plain; charset=utf-8`. */
  readonly contentType: string;

  constructor(text: string, contentType: string) {
    this.text = text;
    this.contentType = contentType;
  }

  /** As it is written to a response. */
  toResponse(): RouteResponse {
    return { status: 200, body: this.text, headers: { 'Content-Type': this.contentType } };
  }
}

/** The common parts of every answer. */
export interface ResponseOptions {
  readonly requestId: string;
  /** Whether pages of any origin may read it. @defaultValue false */
  readonly crossOrigin?: boolean;
  /** The form that the request asks for. @defaultValue the resources unchanged */
  readonly form?: WriteForm;
  /** Headers for the caller: limits, and the end of a replaced key. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A stored answer when it is sent again; the SDKs must not retry a final answer. */
export function toReplayedResponse(stored: StoredResponse, originalRequest: string): TextResponse {
  return {
    status: stored.status,
    body: stored.body,
    headers: {
      'Idempotent-Replayed': 'true',
      'Original-Request': originalRequest,
      ...(stored.status >= 500 ? { 'Stripe-Should-Retry': 'false' } : {}),
    },
  };
}

/**
 * Writes an answer. Node sends the same headers and no body for a HEAD request.
 * @throws the errors of the form, before anything is written
 */
export function sendResponse(
  response: ServerResponse,
  options: ResponseOptions,
  reply: RouteResponse,
): void {
  if (response.headersSent || response.destroyed) return;
  // A page or a text has a content type of its own; forms are for JSON.
  const isJson = reply.headers?.['Content-Type'] === undefined;
  const isText = typeof reply.body === 'string';
  const body = isText && isJson && options.form ? options.form(reply.body) : reply.body;
  begin(response, reply.status, options);
  if (body !== '') {
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.setHeader('Content-Length', Buffer.byteLength(body));
  }
  setHeaders(response, reply.headers);
  response.end(body);
}

/**
 * Writes a 200 and the lines, as fast as the client reads them. An error after the first line cuts
 * the connection, so that nobody takes a part for the whole. HEAD gets only the headers, and no
 * lines are read.
 * @returns whether all were sent; false: the client disconnected first
 * @throws the errors of the lines
 */
export async function sendLines(
  response: ServerResponse,
  options: ResponseOptions,
  { lines }: Lines,
): Promise<boolean> {
  begin(response, 200, options);
  response.setHeader('Content-Type', 'application/x-ndjson; charset=utf-8');
  if (response.req.method === 'HEAD') {
    response.end();
    return true;
  }
  try {
    await pipeline(Readable.from(toJsonLines(lines)), response);
    return true;
  } catch (error) {
    if (isDisconnect(error)) return false;
    throw error;
  }
}

/** Whether a pipeline ended because the other side closed the response. */
function isDisconnect(error: unknown): boolean {
  return isError(error) && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}

async function* toJsonLines(lines: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const line of lines) yield `${JSON.stringify(line)}\n`;
}

/** Writes the status and the common headers. */
export function begin(response: ServerResponse, status: number, options: ResponseOptions): void {
  const { requestId, crossOrigin, headers } = options;
  response.statusCode = status;
  response.setHeader('Request-Id', requestId);
  response.setHeader('Cache-Control', 'no-store');
  // Input of callers is repeated in JSON; no browser may interpret it as a page.
  response.setHeader('X-Content-Type-Options', 'nosniff');
  if (crossOrigin === true) setHeaders(response, CORS_HEADERS);
  setHeaders(response, headers);
}

function setHeaders(response: ServerResponse, headers: RouteResponse['headers'] = {}): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}
