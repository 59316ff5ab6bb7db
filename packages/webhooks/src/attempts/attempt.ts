import {
  type AttemptRecord,
  attemptVerdict,
  type ClaimedDelivery,
  redactReceived,
  type Verdict,
} from '@paymount/core/events';
import {
  type Clock,
  type CrashPoint,
  type Logger,
  newId,
  type Telemetry,
} from '@paymount/core/kernel';
import { toSentBody } from '@paymount/core/stripe-form';
import { signDelivery } from 'paymount-receiver/internal';
import type { DeliveryClient } from '../egress/delivery-client.ts';
import type { ReceivedResponse, SendFacts, SendResult } from '../egress/send-result.ts';
import type { DatabaseClock } from './database-clock.ts';
import { measureSend } from './measure-send.ts';
import type { SecretCache } from './secret-cache.ts';

const USER_AGENT = 'Paymount/0.1';

export interface AttemptPorts {
  readonly client: DeliveryClient;
  readonly secrets: SecretCache;
  readonly clock: Clock;
  readonly databaseClock: DatabaseClock;
  readonly logger: Logger;
  readonly telemetry: Telemetry;
  readonly crashPoint: CrashPoint;
}

/** A finished attempt, and the result for its delivery. */
export interface EndedAttempt {
  readonly delivery: ClaimedDelivery;
  readonly verdict: Verdict;
  readonly record: AttemptRecord;
  readonly endedAt: Date;
  /** The same of the clock's `monotonicMs`. */
  readonly endedAtMs: number;
}

/** The request of one attempt. */
export interface SignedDelivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * Signs a claimed delivery with the time of this attempt.
 * @throws if its secrets cannot be opened; nothing was sent, and no attempt is used up
 */
export async function sign(
  delivery: ClaimedDelivery,
  { secrets, databaseClock }: Pick<AttemptPorts, 'secrets' | 'databaseClock'>,
): Promise<SignedDelivery> {
  const body = Buffer.from(toSentBody(delivery));
  const signature = signDelivery({
    body,
    eventId: delivery.eventId,
    secrets: await secrets.open(delivery),
    timestampSeconds: Math.floor(databaseClock.nowMs() / 1_000),
  });
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Accept-Encoding': 'identity',
    'User-Agent': USER_AGENT,
    ...signature,
    'Service-Delivery': delivery.id,
    'Service-Attempt': String(delivery.attempt),
    ...(delivery.origin === 'replay' ? { 'Service-Replay': 'true' } : {}),
  };
  return { headers, body };
}

/**
 * Sends a signed delivery once, and decides what follows. `onHeadersSlow` is called if no headers
 * arrived after 3 s.
 * @returns undefined if the host's own proxy is unavailable: nothing was sent, and no attempt is
 *   used up
 */
export async function attempt(
  delivery: ClaimedDelivery,
  { headers, body, onHeadersSlow }: SignedDelivery & { readonly onHeadersSlow: () => void },
  ports: AttemptPorts,
): Promise<EndedAttempt | undefined> {
  const startedAt = ports.clock.now();
  const { url, environment } = delivery;
  ports.crashPoint('send.before_connect');
  const lateMs = ports.databaseClock.nowMs() - delivery.dueAt.getTime();
  const result = await measureSend(ports.telemetry, { delivery, lateMs }, () =>
    ports.client.send({ url, headers, body, environment, onHeadersSlow }),
  );
  ports.crashPoint('send.response_read');
  if ('errorDetail' in result && result.errorDetail === 'proxy_unavailable') {
    const facts = { delivery: delivery.id, endpoint: delivery.endpointId };
    ports.logger.error(facts, 'The egress proxy is unavailable; Paymount tries again in a minute.');
    return undefined;
  }
  const endedAt = ports.clock.now();
  const endedAtMs = ports.clock.monotonicMs();
  const succeeded = result.outcome === 'succeeded';
  const hint = 'response' in result ? result.response.retryAfterMs : undefined;
  const verdict = attemptVerdict({
    succeeded,
    attempt: delivery.attempt,
    random: Math.random(),
    ...(hint === undefined ? {} : { retryAfterMs: hint }),
  });
  logAttempt(delivery, result, ports.logger);
  const record = buildRecord(delivery, { startedAt, requestHeaders: headers, sent: result });
  return { delivery, verdict, record, endedAt, endedAtMs };
}

/** The record of an attempt whose process died: whether and what it sent is unknown. */
export function abandonedRecord(delivery: ClaimedDelivery, leasedAt: Date): AttemptRecord {
  const sent = {
    outcome: 'unknown',
    durationMs: 0,
    reusedConnection: false,
    redialed: false,
  } as const;
  return buildRecord(delivery, { startedAt: leasedAt, requestHeaders: {}, sent });
}

/** What is known about a send, whether or not anything was sent. */
type Sent = SendFacts &
  Pick<AttemptRecord, 'outcome' | 'errorCode' | 'errorDetail'> & {
    readonly response?: ReceivedResponse;
  };

/** Written out, because copying so many fields of several objects takes longer than signing. */
function buildRecord(
  delivery: ClaimedDelivery,
  {
    startedAt,
    requestHeaders,
    sent,
  }: Pick<AttemptRecord, 'startedAt' | 'requestHeaders'> & { readonly sent: Sent },
): AttemptRecord {
  const { response } = sent;
  const responseTruncated = response?.truncated === true;
  const received = redactReceived({
    environment: delivery.environment,
    responseHeaders: response?.headers,
    responseBody: response?.body,
    responseTruncated,
  });
  return {
    id: newId('att'),
    accountId: delivery.accountId,
    environment: delivery.environment,
    deliveryId: delivery.id,
    eventId: delivery.eventId,
    eventType: delivery.eventType,
    endpointId: delivery.endpointId,
    attempt: delivery.attempt,
    outcome: sent.outcome,
    errorCode: sent.errorCode,
    errorDetail: sent.errorDetail,
    url: delivery.url,
    remoteAddress: sent.remoteAddress,
    requestHeaders,
    responseStatus: response?.status,
    responseHeaders: received.responseHeaders,
    responseBody: received.responseBody,
    responseTruncated,
    startedAt,
    durationMs: sent.durationMs,
    dnsMs: sent.dnsMs,
    connectMs: sent.connectMs,
    tlsMs: sent.tlsMs,
    waitMs: sent.waitMs,
    reusedConnection: sent.reusedConnection,
    redialed: sent.redialed,
  };
}

function logAttempt(delivery: ClaimedDelivery, result: SendResult, logger: Logger): void {
  const facts = {
    event: delivery.eventId,
    delivery: delivery.id,
    endpoint: delivery.endpointId,
    attempt: delivery.attempt,
    duration_ms: result.durationMs,
    outcome: result.outcome,
    ...('response' in result ? { status: result.response.status } : {}),
    ...(result.outcome === 'failed' ? { error: result.errorCode } : {}),
    ...('errorDetail' in result ? { error_detail: result.errorDetail } : {}),
  };
  if (result.outcome === 'succeeded') logger.info(facts, 'Delivery attempt succeeded.');
  else logger.warn(facts, 'Delivery attempt failed.');
}
