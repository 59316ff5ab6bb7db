import { z } from 'zod';
import { livemode } from '../../kernel/basics/environment.ts';
import { TimestampResource, timestamp } from '../../kernel/basics/resource.ts';
import type { AttemptRecord, Delivery } from './delivery.ts';
import { DELIVERY_STATES } from './delivery.ts';
import { redactReceived } from './redact-received.ts';

/** One attempt, in the log of its delivery. */
export const DeliveryAttemptResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('delivery_attempt'),
    attempt: z.int(),
    outcome: z.enum(['succeeded', 'failed', 'unknown', 'superseded']),
    error_code: z.string().nullable(),
    error_detail: z.string().nullable(),
    url: z.string(),
    remote_address: z.string().nullable(),
    request_headers: z
      .record(z.string(), z.string())
      .nullable()
      .meta({
        description:
          'As sent, except headers of the connection. Null if the process died during the attempt, so ' +
          'that what it sent is unknown, or if the event is expunged.',
      }),
    response_status: z.int().nullable(),
    response_headers: z
      .record(z.string(), z.union([z.string(), z.array(z.string())]))
      .nullable()
      .meta({ description: 'Secrets are replaced as in the body, and cookies too.' }),
    response_body: z
      .string()
      .nullable()
      .meta({
        description:
          'The first 16 KiB of the body; null if it is not UTF-8. Keys, signing secrets and passwords in ' +
          'URLs are replaced by `[secret]`, and in live card numbers by `...`.',
      }),
    response_body_base64: z
      .string()
      .nullable()
      .meta({ description: 'The same bytes in base64, if they are not UTF-8.' }),
    response_truncated: z.boolean().meta({
      description: 'Whether the body was longer than what is logged, or did not end in time.',
    }),
    started_at: TimestampResource,
    duration_ms: z.int(),
    dns_ms: z.int().nullable(),
    connect_ms: z.int().nullable(),
    tls_ms: z.int().nullable(),
    wait_ms: z.int().nullable().meta({
      description: 'From the request written to the head of the response.',
    }),
    reused_connection: z.boolean().meta({
      description: 'Whether it used an open connection of an earlier attempt.',
    }),
    redialed: z.boolean().meta({
      description: 'Whether a kept connection was closed before the request, which used a new one.',
    }),
  })
  .meta({ id: 'DeliveryAttempt' });

export const DeliveryResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('delivery'),
    livemode: z.boolean(),
    event: z.string(),
    event_type: z.string(),
    endpoint: z.string(),
    origin: z.enum(['event', 'replay']),
    replay: z.string().nullable().meta({ description: 'The bulk replay that made it.' }),
    status: z.enum(DELIVERY_STATES),
    attempt: z.int().meta({ description: 'The number of the next or the last attempt; 1-8.' }),
    attempting: z.boolean().meta({ description: 'Whether an attempt is in progress.' }),
    due_at: TimestampResource,
    last_status: z.int().nullable(),
    last_error: z.string().nullable(),
    created: TimestampResource,
    finished_at: TimestampResource.nullable(),
    request_body: z
      .string()
      .nullable()
      .optional()
      .meta({
        description:
          'The body that each attempt sends, byte for byte; only if a single delivery is retrieved. ' +
          'Null if the event is not stored any more, or is expunged.',
      }),
    expunged_at: TimestampResource.nullable()
      .optional()
      .meta({
        description:
          'When the event was expunged: `request_body`, and headers and bodies of attempts, are deleted. ' +
          'Only if a single delivery is retrieved.',
      }),
    attempts: z.array(DeliveryAttemptResource).optional().meta({
      description: 'Newest first; only if a single delivery is retrieved. Kept for 30 days.',
    }),
  })
  .meta({ id: 'Delivery' });

/** For admins, who see more than one account. */
export const AdminDeliveryResource = DeliveryResource.extend({ account: z.string() }).meta({
  id: 'Delivery',
});

export type DeliveryJson = z.output<typeof DeliveryResource>;

export type DeliveryAttemptJson = z.output<typeof DeliveryAttemptResource>;

/** What the JSON of a single delivery has besides. */
export interface ShownLog {
  readonly attempts: readonly DeliveryAttemptJson[];
  /** As sent; absent if the event is not stored any more, or is expunged. */
  readonly sentBody?: string;
  readonly expungedAt?: Date;
}

/** The JSON of a delivery. @param log given if a single delivery is retrieved */
export function toDeliveryResource(delivery: Delivery, log?: ShownLog): DeliveryJson {
  return {
    id: delivery.id,
    object: 'delivery',
    livemode: livemode(delivery.environment),
    event: delivery.eventId,
    event_type: delivery.eventType,
    endpoint: delivery.endpointId,
    origin: delivery.origin,
    replay: delivery.replayId ?? null,
    status: delivery.state,
    attempt: delivery.attempt,
    attempting: delivery.attempting,
    due_at: delivery.dueAt.toISOString(),
    last_status: delivery.lastStatus ?? null,
    last_error: delivery.lastError ?? null,
    created: delivery.created.toISOString(),
    finished_at: timestamp(delivery.finishedAt),
    ...(log && {
      request_body: log.sentBody ?? null,
      expunged_at: timestamp(log.expungedAt),
      attempts: [...log.attempts],
    }),
  };
}

/** As `toDeliveryResource`, with the account that the delivery belongs to. */
export function toAdminDeliveryResource(
  delivery: Delivery,
  log?: ShownLog,
): z.output<typeof AdminDeliveryResource> {
  return { ...toDeliveryResource(delivery, log), account: delivery.accountId };
}

/** The JSON of an attempt. A hundred of them take a noticeable time, so convert them in slices. */
export function toDeliveryAttemptResource(logged: AttemptRecord): DeliveryAttemptJson {
  // Earlier versions stored responses as they were received.
  const attempt = { ...logged, ...redactReceived(logged) };
  return {
    id: attempt.id,
    object: 'delivery_attempt',
    attempt: attempt.attempt,
    outcome: attempt.outcome,
    error_code: attempt.errorCode ?? null,
    error_detail: attempt.errorDetail ?? null,
    url: attempt.url,
    remote_address: attempt.remoteAddress ?? null,
    request_headers: toSentHeaders(attempt),
    response_status: attempt.responseStatus ?? null,
    response_headers: toHeaders(attempt.responseHeaders),
    ...toBodyFields(attempt),
    response_truncated: attempt.responseTruncated,
    started_at: attempt.startedAt.toISOString(),
    duration_ms: attempt.durationMs,
    dns_ms: attempt.dnsMs ?? null,
    connect_ms: attempt.connectMs ?? null,
    tls_ms: attempt.tlsMs ?? null,
    wait_ms: attempt.waitMs ?? null,
    reused_connection: attempt.reusedConnection,
    redialed: attempt.redialed,
  };
}

function toHeaders(
  headers: AttemptRecord['responseHeaders'],
): Record<string, string | string[]> | null {
  if (headers === undefined) return null;
  const entries = Object.entries(headers).map(
    ([name, value]) => [name, typeof value === 'string' ? value : [...value]] as const,
  );
  return Object.fromEntries(entries);
}

/** An attempt whose process died is logged without headers. */
function toSentHeaders({ requestHeaders }: AttemptRecord): Record<string, string> | null {
  return Object.keys(requestHeaders).length === 0 ? null : { ...requestHeaders };
}

/** The longest character in UTF-8 has four bytes. */
const MAX_CUT_BYTES = 3;

/** Where the body was cut, the beginning of one character may be left; it is not shown as text. */
function toBodyFields({ responseBody, responseTruncated }: AttemptRecord) {
  if (responseBody === undefined) return { response_body: null, response_body_base64: null };
  const maxCut = responseTruncated ? MAX_CUT_BYTES : 0;
  for (let cut = 0; cut <= Math.min(maxCut, responseBody.length); cut += 1) {
    const text = decodedUtf8(responseBody.subarray(0, responseBody.length - cut));
    if (text !== undefined) return { response_body: text, response_body_base64: null };
  }
  return {
    response_body: null,
    response_body_base64: Buffer.from(responseBody).toString('base64'),
  };
}

/** @returns undefined unless the bytes are UTF-8 */
function decodedUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
