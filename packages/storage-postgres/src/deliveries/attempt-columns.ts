import type { AttemptRecord } from '@paymount/core/events';
import { livemode } from '@paymount/core/kernel';
import { type Column, fixed, json } from '../shared/columns.ts';

/** The attempt log's columns, except the outcome, which the closing statement sets. */
const ATTEMPT_COLUMNS: readonly Column<AttemptRecord>[] = [
  fixed('id', 'text', (record) => record.id),
  fixed('account_id', 'text', (record) => record.accountId),
  fixed('livemode', 'boolean', (record) => livemode(record.environment)),
  fixed('delivery_id', 'text', (record) => record.deliveryId),
  fixed('event_id', 'text', (record) => record.eventId),
  fixed('event_type', 'text', (record) => record.eventType),
  fixed('endpoint_id', 'text', (record) => record.endpointId),
  fixed('attempt', 'smallint', (record) => record.attempt),
  fixed('error_code', 'text', (record) => record.errorCode ?? null),
  fixed('error_detail', 'text', (record) => record.errorDetail ?? null),
  fixed('url', 'text', (record) => record.url),
  fixed('remote_address', 'inet', (record) => record.remoteAddress ?? null),
  fixed('request_headers', 'jsonb', (record) => json(record.requestHeaders)),
  fixed('response_status', 'smallint', (record) => record.responseStatus ?? null),
  fixed('response_headers', 'jsonb', (record) => json(record.responseHeaders)),
  fixed('response_body', 'bytea', (record) => record.responseBody ?? null),
  fixed('response_truncated', 'boolean', (record) => record.responseTruncated),
  fixed('started_at', 'timestamptz', (record) => record.startedAt),
  fixed('duration_ms', 'integer', (record) => Math.round(record.durationMs)),
  fixed('dns_ms', 'integer', (record) => rounded(record.dnsMs)),
  fixed('connect_ms', 'integer', (record) => rounded(record.connectMs)),
  fixed('tls_ms', 'integer', (record) => rounded(record.tlsMs)),
  fixed('wait_ms', 'integer', (record) => rounded(record.waitMs)),
  fixed('reused_connection', 'boolean', (record) => record.reusedConnection),
  fixed('redialed', 'boolean', (record) => record.redialed),
];

/** Names of the columns, for INSERT and for the alias of the unnested parameters. */
export const ATTEMPT_NAMES = ATTEMPT_COLUMNS.map(({ name }) => name);

/** What was sent and received, and what replaces it when the event is expunged. */
export const BLANK_CONTENT: Readonly<Record<string, string>> = {
  request_headers: "'{}'::jsonb",
  response_headers: 'NULL',
  response_body: 'NULL',
};

/** `unnest` arguments: one array parameter per column. @param first number of the first one */
export function attemptArrays(first: number): string {
  return ATTEMPT_COLUMNS.map(({ type }, index) => `$${first + index}::${type}[]`).join(', ');
}

/** The arrays themselves. */
export function attemptValues(records: readonly AttemptRecord[]): unknown[] {
  return ATTEMPT_COLUMNS.map(({ of }) => records.map(of));
}

function rounded(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.round(ms);
}
