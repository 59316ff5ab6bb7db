import { OWNER, type Part } from '../changes/part.ts';
import type { PlannedDelivery } from './fan-out.ts';

/**
 * Adds one delivery per matching endpoint: `skipped` where the endpoint is disabled, else pending
 * and due now, leased when a slot was reserved for it.
 * @param shiftMs how far business time runs ahead of the database's (0 but under a fake clock)
 */
export function deliveriesPart(deliveries: readonly PlannedDelivery[], shiftMs: number): Part {
  return {
    code: 'd',
    values: [
      shiftMs,
      deliveries.map(({ id }) => id),
      deliveries.map(({ event }) => event.id),
      deliveries.map(({ endpoint }) => endpoint.id),
      deliveries.map(({ event }) => event.type),
      deliveries.map(({ endpoint }) => (endpoint.status === 'enabled' ? 'pending' : 'skipped')),
      deliveries.map(({ lease }) => lease?.token ?? null),
      deliveries.map(({ lease }) => lease?.lengthMs ?? null),
    ],
    sql: ({ schema, at, alias, when }) => `${alias} AS (
  INSERT INTO ${schema}.deliveries (account_id, livemode, id, event_id, endpoint_id, event_type,
    origin, state, attempt, due_at, created, finished_at, lease_token, leased_at, lease_until)
  SELECT ${OWNER}, n.id, n.event_id, n.endpoint_id, n.event_type, 'event', n.state, 1, t.now, t.now,
    CASE WHEN n.state = 'skipped' THEN t.now END,
    n.token, CASE WHEN n.token IS NOT NULL THEN t.now END,
    CASE WHEN n.token IS NOT NULL THEN t.now + n.lease_ms * interval '1 ms' END
  FROM (SELECT now() + ${at(0)}::double precision * interval '1 ms' AS now) t,
    unnest(${at(1)}::text[], ${at(2)}::text[], ${at(3)}::text[], ${at(4)}::text[], ${at(5)}::text[],
    ${at(6)}::text[], ${at(7)}::integer[])
    AS n (id, event_id, endpoint_id, event_type, state, token, lease_ms)
  WHERE ${when})`,
  };
}
