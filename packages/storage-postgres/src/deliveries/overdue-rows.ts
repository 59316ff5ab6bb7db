import type { EndpointLane, OverdueMs } from '@paymount/core/events';
import { statement } from '../connection/statement.ts';
import type { Session } from '../transaction/session.ts';
import { UNLEASED } from './lease-rows.ts';
import { BY_TIME, NOW, pendingSql } from './pending-rows.ts';

/** How many due rows are read, if there are no more. */
const HEAD = 1_000;
/** How many endpoints with anything pending are looked at, if there are. */
const HOPS = 10_000;
/** Of the late endpoints, the latest are examined for a delivery in progress. */
const EXAMINED = 1_000;
/** Before the first row without a lease are only leased rows. Some may be due at the same time. */
const FIRST_ROWS = 64;

interface LateRow {
  readonly lane: EndpointLane;
  readonly ms: number;
}

/**
 * The first due row of each endpoint. As in a claim, few due rows are read as they are; among many,
 * one endpoint may have all of the first, so then the read hops from endpoint to endpoint. Each
 * LATERAL depends on the previous one, so that no plan compares all with all. An endpoint with a
 * delivery in progress is at a limit of its own, and more workers are not what it needs.
 */
const overdue = statement('pm_deliveries_overdue_v7', (s) => {
  const pending = `${pendingSql(s, 'event')} AND d.due_at >= $2::timestamptz`;
  const isLong = `(SELECT count(*) FROM head) = ${HEAD}`;
  const hop = (after: string): string => `SELECT d.endpoint_id FROM ${pending}
    AND (d.endpoint_id, d.due_at) > (${after}, 'infinity')`;
  const inOrder = 'ORDER BY d.endpoint_id, d.due_at LIMIT 1';
  return `WITH RECURSIVE head AS MATERIALIZED (
  SELECT d.endpoint_id, d.due_at, ${UNLEASED} AS unleased
  FROM ${pending} AND ${BY_TIME} AND d.due_at <= ${NOW} ORDER BY d.due_at LIMIT ${HEAD}),
hops (endpoint_id, count) AS (
  (SELECT h.endpoint_id, 1 FROM (${hop("''")} AND ${isLong} ${inOrder}) h)
  UNION ALL
  SELECT (${hop('hops.endpoint_id')} ${inOrder}), count + 1
  FROM hops WHERE hops.endpoint_id IS NOT NULL AND count < ${HOPS}),
late AS MATERIALIZED (
  SELECT endpoint_id, min(due_at) AS due_at FROM head WHERE unleased AND NOT ${isLong}
  GROUP BY endpoint_id
  UNION ALL
  SELECT h.endpoint_id, p.due_at FROM hops h CROSS JOIN LATERAL (
    SELECT d.due_at FROM ${pending} AND d.endpoint_id = h.endpoint_id AND ${UNLEASED}
      AND d.due_at <= ${NOW} ORDER BY d.due_at LIMIT 1) p),
latest AS MATERIALIZED (SELECT * FROM late ORDER BY due_at LIMIT ${EXAMINED}),
unattended AS MATERIALIZED (
  SELECT l.endpoint_id, l.due_at FROM latest l WHERE (
    SELECT true FROM (
      SELECT d.lease_until FROM ${pending}
        AND d.endpoint_id = l.endpoint_id AND d.due_at <= l.due_at
      LIMIT ${FIRST_ROWS}) first
    WHERE first.lease_until >= ${NOW} LIMIT 1) IS NULL)
SELECT e.lane, extract(epoch FROM ${NOW} - min(l.due_at))::double precision * 1000 AS ms
FROM unattended l CROSS JOIN LATERAL (
  SELECT e.lane FROM ${s}.webhook_endpoints e
  WHERE e.id = l.endpoint_id AND e.status = 'enabled' LIMIT 1) e
GROUP BY e.lane`;
});

/** See `DeliveryQueue.overdueMs`. @param floor no lower row is pending */
export async function findOverdue(
  session: Session,
  shiftMs: number,
  floor: Date,
): Promise<OverdueMs> {
  const { rows } = await session.query<LateRow>(overdue, [shiftMs, floor]);
  return { fast: 0, slow: 0, ...Object.fromEntries(rows.map(({ lane, ms }) => [lane, ms])) };
}
