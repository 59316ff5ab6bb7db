import type { ServerResponse } from 'node:http';
import type { StoredAnswer } from '@paymount/core';
import { CORS_HEADERS } from './cors.ts';
import type { Match } from './routing/route-index.ts';

/** What is written to a response. */
export interface Answer {
  readonly status: number;
  /** JSON text; empty for 204. */
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A stored answer as it is sent again; the SDKs must not retry what is decided. */
export function replayOf(stored: StoredAnswer, originalRequest: string): Answer {
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
 * Writes an answer. A HEAD request gets the same headers and no body, by node itself.
 * @param match of the request, when its route was found
 */
export function sendAnswer(
  response: ServerResponse,
  sent: { readonly requestId: string; readonly match: Match | undefined },
  answer: Answer,
): void {
  if (response.headersSent || response.destroyed) return;
  response.statusCode = answer.status;
  response.setHeader('Request-Id', sent.requestId);
  response.setHeader('Cache-Control', 'no-store');
  setHeaders(response, answer.headers);
  if (isCrossOrigin(sent.match)) setHeaders(response, CORS_HEADERS);
  if (answer.body !== '') {
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.setHeader('Content-Length', Buffer.byteLength(answer.body));
  }
  response.end(answer.body);
}

function setHeaders(response: ServerResponse, headers: Answer['headers'] = {}): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

function isCrossOrigin(match: Match | undefined): boolean {
  return match?.route.method === 'POST' && match.route.facts.publishable === true;
}
