import type { Delivery } from '@paymount/core/events';
import type { DeliveryId, EventId } from '@paymount/core/kernel';
import { OWNER_COLUMNS } from '../changes/owner-columns.ts';
import { OWNED, OWNER, type Part } from '../changes/part.ts';
import { partCode } from '../changes/part-codes.ts';
import { rowSource, type ToRows } from '../changes/row-source.ts';
import { type Column, fixed } from '../shared/columns.ts';
import type { PlannedDelivery } from './fan-out.ts';

const COLUMNS: readonly Column<PlannedDelivery>[] = [
  ...OWNER_COLUMNS,
  fixed('id', 'text', ({ id }) => id),
  fixed('event_id', 'text', ({ event }) => event.id),
  fixed('endpoint_id', 'text', ({ endpoint }) => endpoint.id),
  fixed('event_type', 'text', ({ event }) => event.type),
  fixed('created', 'timestamptz', ({ event }) =>
    event.testClockId === undefined ? event.created : null,
  ),
  fixed('state', 'text', ({ endpoint }) => (endpoint.status === 'enabled' ? 'pending' : 'skipped')),
  fixed('token', 'text', ({ lease }) => lease?.token ?? null),
  fixed('lease_ms', 'integer', ({ lease }) => lease?.lengthMs ?? null),
];

/**
 * Adds one delivery per matching endpoint, created with its event, also if that has the time of a test
 * clock: `skipped` if the endpoint is disabled, otherwise pending and due now, and leased if a slot was reserved for it.
 * @param shiftMs how far business time runs ahead of the database's (0 but under a fake clock)
 */
export function deliveriesPart(
  deliveries: readonly PlannedDelivery[],
  shiftMs: number,
  toRows: ToRows = rowSource,
): Part {
  const rows = toRows(COLUMNS, deliveries);
  return {
    code: partCode('deliveries', rows.code),
    values: [shiftMs, ...rows.values],
    sql: ({ schema, at, alias, when }) => `${alias} AS (
  INSERT INTO ${schema}.deliveries (account_id, livemode, id, event_id, endpoint_id, event_type,
    origin, state, attempt, due_at, created, finished_at, lease_token, leased_at, lease_until)
  SELECT n.account_id, n.livemode, n.id, n.event_id, n.endpoint_id, n.event_type, 'event',
    n.state, 1, t.now,
    COALESCE(n.created, t.now),
    CASE WHEN n.state = 'skipped' THEN t.now END,
    n.token, CASE WHEN n.token IS NOT NULL THEN t.now END,
    CASE WHEN n.token IS NOT NULL THEN t.now + n.lease_ms * interval '1 ms' END
  FROM (SELECT now() + ${at(0)}::double precision * interval '1 ms' AS now) t,
    ${rows.sql((index) => at(index + 1))}
  WHERE ${when})`,
  };
}

const CHOSEN_COLUMNS: readonly Column<Delivery>[] = [
  fixed('id', 'text', ({ id }) => id),
  fixed('event_id', 'text', ({ eventId }) => eventId),
  fixed('endpoint_id', 'text', ({ endpointId }) => endpointId),
  fixed('event_type', 'text', ({ eventType }) => eventType),
  fixed('origin', 'text', ({ origin }) => origin),
  fixed('created', 'timestamptz', ({ created }) => created),
];

/**
 * Adds requested deliveries, pending and due now; raced unless each of their endpoints is enabled,
 * and none of their events is expunged or purged. Both are locked, so that none is disabled, expunged
 * or purged before these rows exist.
 * @param events those that the same change does not record
 * @param shiftMs how far business time runs ahead of the database's
 */
export function chosenDeliveriesPart(
  deliveries: readonly Delivery[],
  events: readonly EventId[],
  shiftMs: number,
): Part {
  const endpoints = [...new Set(deliveries.map(({ endpointId }) => endpointId))];
  const rows = rowSource(CHOSEN_COLUMNS, deliveries);
  return {
    code: partCode('chosen_deliveries', rows.code),
    guard: 'raced',
    values: [shiftMs, endpoints, events, ...rows.values],
    sql: ({ schema, at, alias, when }) => `${alias}e AS (
  SELECT id FROM ${schema}.webhook_endpoints
  WHERE ${OWNED} AND id = ANY (${at(1)}::text[]) AND status = 'enabled' AND ${when}
  ORDER BY id FOR SHARE),
${alias}v AS (
  SELECT id FROM ${schema}.events
  WHERE ${OWNED} AND id = ANY (${at(2)}::text[]) AND expunged_at IS NULL AND ${when}
  ORDER BY id FOR SHARE),
${alias} AS (
  INSERT INTO ${schema}.deliveries (account_id, livemode, id, event_id, endpoint_id, event_type,
    origin, state, attempt, due_at, created)
  SELECT ${OWNER}, n.id, n.event_id, n.endpoint_id, n.event_type, n.origin, 'pending', 1, t.now,
    n.created
  FROM (SELECT now() + ${at(0)}::double precision * interval '1 ms' AS now) t,
    ${rows.sql((index) => at(index + 3))}
  WHERE (SELECT count(*) FROM ${alias}e) = cardinality(${at(1)}::text[])
    AND (SELECT count(*) FROM ${alias}v) = cardinality(${at(2)}::text[])
  RETURNING id)`,
  };
}

/**
 * Makes a pending or failed delivery due now, for one more attempt with its current number; raced
 * if it is in another state, if an attempt is running, or if its event is expunged.
 * @param shiftMs how far business time runs ahead of the database's
 */
export function retryPart(id: DeliveryId, shiftMs: number): Part {
  return {
    code: partCode('retried_delivery'),
    guard: 'raced',
    values: [id, shiftMs],
    sql: ({ schema, at, alias, when }) => `${alias}v AS (
  SELECT expunged_at FROM ${schema}.events
  WHERE ${OWNED} AND id = (SELECT event_id FROM ${schema}.deliveries
      WHERE ${OWNED} AND id = ${at(0)}::text) AND ${when}
  FOR SHARE),
${alias} AS (
  UPDATE ${schema}.deliveries SET state = 'pending', due_at = t.now, finished_at = NULL,
    send_errors = 0, lease_token = NULL, leased_at = NULL, lease_until = NULL
  FROM (SELECT now() + ${at(1)}::double precision * interval '1 ms' AS now) t
  WHERE ${OWNED} AND id = ${at(0)}::text AND state IN ('pending', 'failed')
    AND (lease_until IS NULL OR lease_until < t.now) AND ${when}
    AND NOT EXISTS (SELECT FROM ${alias}v WHERE expunged_at IS NOT NULL)
  RETURNING id)`,
  };
}
