import type { ClaimById, NamedBatch } from '@paymount/core/events';
import { statement } from '../connection/statement.ts';
import type { Session } from '../transaction/session.ts';
import { type ClaimedRow, leaseSql, PER_ENDPOINT, toClaimed, UNLEASED } from './lease-rows.ts';
import { NOW } from './pending-rows.ts';

/** The origins of rows that were left. */
interface LeftRows {
  readonly left_origins: NamedBatch['left'];
}

type NamedRow = LeftRows & (ClaimedRow | { readonly id: null });

/** So many rows of one endpoint. */
const ENOUGH = `CASE WHEN endpoint_id = ANY ($11::text[])
  THEN CASE origin WHEN 'event' THEN $12::integer ELSE $13::integer END
  ELSE CASE origin WHEN 'event' THEN ${PER_ENDPOINT.fast.event} ELSE ${PER_ENDPOINT.fast.replay} END
END`;

/**
 * Each named row is looked up by itself, first to see which of them may be claimed. The state is a
 * column of the names: for a constant, a plan may walk all that is pending, because statistics may
 * say that nothing is.
 */
const claimNamed = statement(
  'pm_deliveries_claim_ids_v8',
  (s) => `WITH n AS MATERIALIZED (
  SELECT *, 'pending' AS state FROM unnest($4::text[], $5::smallint[]) AS n (id, attempt)),
found AS MATERIALIZED (
  SELECT n.*, f.origin, f.due_at, f.endpoint_id, f.account_id FROM n CROSS JOIN LATERAL (
    SELECT d.origin, d.due_at, d.endpoint_id, d.account_id
    FROM ${s}.deliveries d CROSS JOIN LATERAL (
      SELECT FROM ${s}.webhook_endpoints e
      WHERE e.id = d.endpoint_id AND e.status = 'enabled' AND e.lane = 'fast' LIMIT 1) e
    WHERE d.id = n.id AND d.attempt = n.attempt AND d.state = n.state AND ${UNLEASED}
      AND d.endpoint_id <> ALL ($14::text[]) AND d.due_at <= ${NOW} + $6::double precision * interval '1 ms' LIMIT 1) f),
placed AS (
  SELECT *, row_number() OVER (PARTITION BY endpoint_id, origin ORDER BY due_at, id) AS place
  FROM found WHERE account_id <> ALL ($10::text[])
    AND endpoint_id <> ALL ($8::text[]) AND (origin = 'event' OR endpoint_id <> ALL ($9::text[]))),
chosen AS MATERIALIZED (
  SELECT * FROM placed WHERE origin = 'event' AND place <= ${ENOUGH}
  UNION ALL
  (SELECT * FROM placed WHERE origin = 'replay' AND place <= ${ENOUGH}
   ORDER BY place, due_at, id LIMIT $7::integer)),
pick AS (
  SELECT p.* FROM chosen f CROSS JOIN LATERAL (
    SELECT d.id, d.lease_token AS old_token, d.leased_at AS old_leased_at FROM ${s}.deliveries d
    WHERE d.id = f.id AND d.attempt = f.attempt AND d.state = f.state AND ${UNLEASED}
    LIMIT 1 FOR UPDATE SKIP LOCKED) p),
${leaseSql(s)}
SELECT h.left_origins, l.*
FROM (SELECT ARRAY(SELECT DISTINCT origin FROM (
    SELECT origin FROM found EXCEPT ALL SELECT origin FROM chosen) o) AS left_origins) h
LEFT JOIN leased l ON true`,
);

/** Takes named rows; see `DeliveryQueue.claimById`. */
export async function claimById(session: Session, claim: ClaimById): Promise<NamedBatch> {
  const { rows } = await session.query<NamedRow>(claimNamed, [
    claim.shiftMs,
    claim.leaseToken,
    claim.leaseMs,
    claim.wanted.map(({ id }) => id),
    claim.wanted.map(({ attempt }) => attempt),
    claim.aheadMs,
    claim.replays,
    claim.excluded,
    claim.excludedFromReplays,
    claim.excludedAccounts,
    claim.quick.endpoints,
    claim.quick.perEndpoint,
    claim.quick.replays,
    claim.held,
  ]);
  return {
    deliveries: rows.flatMap((row) => (row.id === null ? [] : toClaimed(row))),
    left: rows[0]?.left_origins ?? [],
  };
}
