import type { ClaimDue, ClaimedBatch, EndpointLane } from '@paymount/core/events';
import type { EndpointId } from '@paymount/core/kernel';
import { statement } from '../connection/statement.ts';
import type { Session } from '../transaction/session.ts';
import { type ClaimedRow, leaseSql, PER_ENDPOINT, toClaimed, UNLEASED } from './lease-rows.ts';
import { BY_TIME, NOW, pendingSql } from './pending-rows.ts';

/** How many due rows a claim reads to learn their endpoints. */
const HEAD = 200;
/** How many endpoints a claim looks at if more rows are due. */
const HOPS = 250;

/** The last endpoint that was looked at, if there are more. */
interface LastHop {
  readonly last_hop: EndpointId | null;
}

type DueRow = LastHop & (ClaimedRow | { readonly id: null });

/**
 * If fewer rows than `HEAD` are due, their endpoints are looked at. Otherwise a backlog may fill it,
 * and the endpoints with anything pending are: `HOPS` of them after the cursor, with a few rows each.
 * Each hop and each LATERAL depends on the previous one, so that no plan reads or locks more rows
 * than it takes.
 */
function claimDueSql(
  s: string,
  lane: EndpointLane,
  origin: ClaimDue['origin'],
  condition = '',
): string {
  const pending = `${pendingSql(s, origin)} AND d.due_at >= $8::timestamptz`;
  const due = `d.due_at <= ${NOW} - $7::double precision * interval '1 ms'`;
  const isLong = `(SELECT count(*) FROM head) = ${HEAD}`;
  const hop = (after: string): string => `SELECT d.endpoint_id FROM ${pending}
    AND (d.endpoint_id, d.due_at) > (${after}, 'infinity')`;
  const inOrder = 'ORDER BY d.endpoint_id, d.due_at LIMIT 1';
  return `WITH RECURSIVE head AS MATERIALIZED (
  SELECT d.endpoint_id, ${UNLEASED} AS unleased FROM ${pending} AND ${BY_TIME} AND ${due}
  ORDER BY d.due_at LIMIT ${HEAD}),
hops (endpoint_id, count) AS (
  (SELECT h.endpoint_id, 1 FROM (${hop('$5::text')} AND ${isLong} ${inOrder}) h)
  UNION ALL
  SELECT (${hop('hops.endpoint_id')} ${inOrder}), count + 1
  FROM hops WHERE hops.endpoint_id IS NOT NULL AND count < ${HOPS}),
pick AS (
  SELECT p.id, p.old_token, p.old_leased_at FROM (
    SELECT endpoint_id FROM hops
    UNION ALL
    (SELECT DISTINCT endpoint_id FROM head WHERE unleased AND endpoint_id > $5::text
       AND NOT ${isLong} ORDER BY endpoint_id)) w
  CROSS JOIN LATERAL (
    SELECT e.id FROM ${s}.webhook_endpoints e
    WHERE e.id = w.endpoint_id AND e.status = 'enabled' AND e.lane = '${lane}' ${condition}
      AND e.id <> ALL ($6::text[]) AND e.account_id <> ALL ($9::text[]) LIMIT 1) e
  CROSS JOIN LATERAL (
    SELECT d.id, d.lease_token AS old_token, d.leased_at AS old_leased_at FROM ${pending}
      AND d.endpoint_id = e.id AND ${UNLEASED} AND ${due}
    ORDER BY d.due_at LIMIT ${PER_ENDPOINT[lane][origin]} FOR UPDATE SKIP LOCKED) p
  LIMIT $4::integer),
${leaseSql(s)}
SELECT h.last_hop, l.*
FROM (
  SELECT CASE WHEN (SELECT count(*) FROM pick) < $4::integer
    THEN (SELECT max(endpoint_id) FILTER (WHERE count = ${HOPS}) FROM hops) END AS last_hop) h
LEFT JOIN leased l ON true`;
}

/** Each origin has its own, so that neither reads the other's rows. */
const claimDueStatements = {
  fast: {
    event: statement('pm_deliveries_claim_due_v8', (s) => claimDueSql(s, 'fast', 'event')),
    replay: statement('pm_deliveries_claim_replays_v5', (s) => claimDueSql(s, 'fast', 'replay')),
  },
  slow: {
    event: statement('pm_deliveries_claim_slow_v2', (s) => claimDueSql(s, 'slow', 'event')),
    replay: statement('pm_deliveries_claim_slow_replays_v2', (s) =>
      claimDueSql(s, 'slow', 'replay'),
    ),
  },
};

const claimWasQuick = statement('pm_deliveries_claim_slow_quick_v1', (s) =>
  claimDueSql(s, 'slow', 'event', 'AND e.was_quick'),
);

/** Takes what is overdue; see `DeliveryQueue.claimDue`. @param floor no lower row is pending */
export async function claimDue(
  session: Session,
  claim: ClaimDue,
  floor: Date,
): Promise<ClaimedBatch> {
  const of = claim.wasQuick ? claimWasQuick : claimDueStatements[claim.lane][claim.origin];
  const { rows } = await session.query<DueRow>(of, [
    claim.shiftMs,
    claim.leaseToken,
    claim.leaseMs,
    claim.limit,
    claim.cursor,
    claim.excluded,
    claim.graceMs,
    floor,
    claim.excludedAccounts,
  ]);
  const deliveries = rows.flatMap((row) => (row.id === null ? [] : toClaimed(row)));
  const endpoints = deliveries.map(({ endpointId }) => endpointId).toSorted();
  const isFull = deliveries.length === claim.limit;
  const next = isFull ? endpoints.at(-1) : rows[0]?.last_hop;
  return { deliveries, ...(next && { next }) };
}
