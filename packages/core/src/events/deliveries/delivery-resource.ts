import { z } from 'zod';
import { livemode } from '../../kernel/basics/environment.ts';
import { TimestampResource, timestamp } from '../../kernel/basics/resource.ts';
import type { Delivery, LoggedAttempt } from './delivery.ts';
import { DELIVERY_STATES } from './delivery.ts';

const DeliveryAttemptResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('delivery_attempt'),
    attempt: z.int(),
    outcome: z.enum(['succeeded', 'failed', 'unknown', 'superseded']),
    error_code: z.string().nullable(),
    error_detail: z.string().nullable(),
    url: z.string(),
    remote_address: z.string().nullable(),
    response_status: z.int().nullable(),
    response_headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])).nullable(),
    response_body: z
      .string()
      .nullable()
      .meta({ description: 'The beginning of the body, as text.' }),
    response_truncated: z.boolean(),
    started_at: TimestampResource,
    duration_ms: z.int(),
    dns_ms: z.int().nullable(),
    connect_ms: z.int().nullable(),
    tls_ms: z.int().nullable(),
    wait_ms: z.int().nullable(),
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

/** The JSON of a delivery. @param attempts given if a single delivery is retrieved */
export function toDeliveryResource(
  delivery: Delivery,
  attempts?: readonly LoggedAttempt[],
): DeliveryJson {
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
    ...(attempts && { attempts: attempts.map(toAttemptResource) }),
  };
}

/** As `toDeliveryResource`, with the account that the delivery belongs to. */
export function toAdminDeliveryResource(
  delivery: Delivery,
  attempts?: readonly LoggedAttempt[],
): z.output<typeof AdminDeliveryResource> {
  return { ...toDeliveryResource(delivery, attempts), account: delivery.accountId };
}

function toAttemptResource(attempt: LoggedAttempt): z.output<typeof DeliveryAttemptResource> {
  return {
    id: attempt.id,
    object: 'delivery_attempt',
    attempt: attempt.attempt,
    outcome: attempt.outcome,
    error_code: attempt.errorCode ?? null,
    error_detail: attempt.errorDetail ?? null,
    url: attempt.url,
    remote_address: attempt.remoteAddress ?? null,
    response_status: attempt.responseStatus ?? null,
    response_headers: toHeaders(attempt.responseHeaders),
    response_body: decodeBody(attempt.responseBody),
    response_truncated: attempt.responseTruncated,
    started_at: attempt.startedAt.toISOString(),
    duration_ms: attempt.durationMs,
    dns_ms: attempt.dnsMs ?? null,
    connect_ms: attempt.connectMs ?? null,
    tls_ms: attempt.tlsMs ?? null,
    wait_ms: attempt.waitMs ?? null,
  };
}

function toHeaders(
  headers: LoggedAttempt['responseHeaders'],
): Record<string, string | string[]> | null {
  if (headers === undefined) return null;
  const entries = Object.entries(headers).map(
    ([name, value]) => [name, typeof value === 'string' ? value : [...value]] as const,
  );
  return Object.fromEntries(entries);
}

/**
 * The body may have any bytes; a character that was cut at the end becomes a replacement character.
 */
function decodeBody(body: Uint8Array | undefined): string | null {
  return body === undefined ? null : new TextDecoder().decode(body);
}
