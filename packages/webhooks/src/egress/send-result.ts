import type { AttemptErrorCode } from '@paymount/core/events';
import type { EgressDetail, UnansweredCode } from './egress-error.ts';
import type { ExchangeEnd, ResponseHead } from './exchange.ts';
import { readRetryAfter } from './retry-after.ts';

/** A response; the bytes are as received, never decompressed. */
export interface ReceivedResponse extends ResponseHead {
  /** At most 16 KiB. */
  readonly body: Buffer;
  /** The body was longer, took more than 2 s, or was incomplete. */
  readonly truncated: boolean;
  /** The hint of a 429 or 503, in milliseconds from now. */
  readonly retryAfterMs?: number;
}

/**
 * The timings of every send, in whole milliseconds; connect times are absent on a kept connection.
 */
export interface SendFacts {
  readonly durationMs: number;
  readonly dnsMs?: number | undefined;
  readonly connectMs?: number | undefined;
  readonly tlsMs?: number | undefined;
  /** From the request written to the head of the answer. */
  readonly waitMs?: number | undefined;
  /** Absent behind a proxy, and unless the request was written to it. */
  readonly remoteAddress?: string | undefined;
  readonly reusedConnection: boolean;
  /** A kept connection was closed before the request was written, which went to a new one. */
  readonly redialed: boolean;
}

/** The status decides: any 2xx is a success, everything else a failure. */
export type SendResult = SendFacts &
  (
    | { readonly outcome: 'succeeded'; readonly response: ReceivedResponse }
    | {
        readonly outcome: 'failed';
        readonly errorCode: Exclude<AttemptErrorCode, UnansweredCode>;
        readonly response: ReceivedResponse;
      }
    | {
        readonly outcome: 'failed';
        readonly errorCode: UnansweredCode;
        readonly errorDetail?: EgressDetail;
      }
  );

/**
 * Turns the end of an exchange into the outcome of a send.
 * @param send.startedMs of `performance.now()`
 * @param send.nowMs unix milliseconds, to read a `Retry-After` date
 */
export function toSendResult(
  end: ExchangeEnd,
  send: { readonly startedMs: number; readonly redialed: boolean; readonly nowMs: () => number },
): SendResult {
  const facts = toFacts(end, send);
  if (end.head === undefined) {
    const { code = 'connection', detail } = end.error ?? {};
    const shown = detail === undefined ? {} : { errorDetail: detail };
    return { ...facts, outcome: 'failed', errorCode: code, ...shown };
  }
  const response = toResponse(end.head, end, send.nowMs);
  if (response.status < 300) return { ...facts, outcome: 'succeeded', response };
  const errorCode = REDIRECTS.has(response.status) ? 'redirect' : 'http_status';
  return { ...facts, outcome: 'failed', errorCode, response };
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function toResponse(
  head: ResponseHead,
  { body, truncated }: ExchangeEnd,
  nowMs: () => number,
): ReceivedResponse {
  const { status, headers } = head;
  const response = { status, headers, body, truncated };
  if (status !== 429 && status !== 503) return response;
  const retryAfterMs = readRetryAfter(headers['retry-after'], nowMs());
  return retryAfterMs === undefined ? response : { ...response, retryAfterMs };
}

function toFacts(
  end: ExchangeEnd,
  { startedMs, redialed }: { readonly startedMs: number; readonly redialed: boolean },
): SendFacts {
  const { connection, reusedConnection } = end;
  const dialed = reusedConnection ? undefined : connection;
  return {
    durationMs: Math.round(performance.now() - startedMs),
    dnsMs: rounded(dialed?.dnsMs),
    connectMs: rounded(dialed?.connectMs),
    tlsMs: rounded(dialed?.tlsMs),
    waitMs: rounded(end.waitMs),
    remoteAddress: connection?.remoteAddress,
    reusedConnection,
    redialed,
  };
}

function rounded(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms);
}
