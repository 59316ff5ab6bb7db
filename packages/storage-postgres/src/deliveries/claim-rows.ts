import type {
  ClaimById,
  ClaimDue,
  ClaimedBatch,
  ClaimedDelivery,
  EndpointLane,
} from '@paymount/core/events';
import type { DeliveryId, EndpointId } from '@paymount/core/kernel';
import type { Session } from '../session.ts';
import { statement } from '../shared/statement.ts';
import { type EventAtEndpointRow, toEventAtEndpoint } from './event-at-endpoint.ts';
import { BY_TIME, NOW, pendingSql } from './pending-rows.ts';

/** How many deliveries of one endpoint a claim takes before it moves to the next. */
const PER_ENDPOINT = { fast: { event: 4, replay: 2 }, slow: { event: 1, replay: 1 } } as const;
/** How many due rows a claim reads to learn their endpoints. */
const HEAD = 200;
/** How many endpoints a claim looks at if more rows are due. */
const HOPS = 250;

interface NothingClaimed {
  readonly id: null;
  readonly last_hop: EndpointId | null;
}

interface ClaimedRow extends EventAtEndpointRow {
  /** Only of a claim of what is due. */
  readonly last_hop?: EndpointId | null;
  readonly id: DeliveryId;
  readonly url: string;
  readonly lane: EndpointLane;
  readonly secret_version: number;
  readonly secrets: ClaimedDelivery['secrets'];
  readonly body: string;
  readonly api_version: string;
  readonly origin: ClaimedDelivery['origin'];
  readonly attempt: number;
  readonly due_at: Date;
  readonly lease_token: string;
  readonly old_token: string | null;
  readonly old_leased_at: Date | null;
}

const UNLEASED = `(d.lease_until IS NULL OR d.lease_until < ${NOW})`;

/**
 * `$2` is the lease's token, `$3` its length. The selected rows are leased, and `leased` has all
 * that an attempt needs. `ANY` finds them by the primary key, whatever statistics say.
 */
function leaseSql(s: string): string {
  return `claimed AS (
  UPDATE ${s}.deliveries d SET leased_at = ${NOW}, lease_token = $2::text,
    lease_until = ${NOW} + $3::double precision * interval '1 ms'
  FROM pick WHERE d.id = ANY (ARRAY(SELECT id FROM pick)) AND d.id = pick.id
  RETURNING d.id, d.account_id, d.livemode, d.event_id, d.event_type, d.endpoint_id, d.origin,
    d.attempt, d.due_at, d.lease_token, pick.old_token, pick.old_leased_at),
leased AS (
  SELECT c.*, e.url, e.lane, e.secret_version, e.api_version, v.body,
    (SELECT COALESCE(jsonb_agg(jsonb_build_object('id', k.id, 'sealed', k.sealed)
       ORDER BY k.created DESC, k.id DESC), '[]')
     FROM ${s}.endpoint_secrets k
     WHERE k.endpoint_id = c.endpoint_id AND (k.expires_at IS NULL OR k.expires_at > ${NOW}))
       AS secrets
  FROM claimed c
  JOIN ${s}.webhook_endpoints e ON e.id = c.endpoint_id
  CROSS JOIN LATERAL (
    SELECT v.body FROM ${s}.events v
    WHERE v.account_id = c.account_id AND v.livemode = c.livemode AND v.id = c.event_id LIMIT 1) v)`;
}

/**
 * If fewer rows than `HEAD` are due, their endpoints are looked at. Otherwise a backlog may fill it,
 * and the endpoints with anything pending are: `HOPS` of them after the cursor, with a few rows each.
 * Each hop and each LATERAL depends on the previous one, so that no plan reads or locks more rows
 * than it takes.
 */
function claimDueSql(s: string, lane: EndpointLane, origin: ClaimDue['origin']): string {
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
    WHERE e.id = w.endpoint_id AND e.status = 'enabled' AND e.lane = '${lane}'
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
    event: statement('pm_deliveries_claim_due_v7', (s) => claimDueSql(s, 'fast', 'event')),
    replay: statement('pm_deliveries_claim_replays_v4', (s) => claimDueSql(s, 'fast', 'replay')),
  },
  slow: {
    event: statement('pm_deliveries_claim_slow_v1', (s) => claimDueSql(s, 'slow', 'event')),
    replay: statement('pm_deliveries_claim_slow_replays_v1', (s) =>
      claimDueSql(s, 'slow', 'replay'),
    ),
  },
};

/**
 * Each named row is looked up by itself, first to see which of them may be claimed. The state is a
 * column of the names: for a constant, a plan may walk all that is pending, because statistics may
 * say that nothing is.
 */
const claimByIdStatement = statement(
  'pm_deliveries_claim_ids_v5',
  (s) => `WITH n AS MATERIALIZED (
  SELECT *, 'pending' AS state FROM unnest($4::text[], $5::smallint[]) AS n (id, attempt)),
found AS MATERIALIZED (
  SELECT n.*, f.origin, f.due_at FROM n CROSS JOIN LATERAL (
    SELECT d.origin, d.due_at FROM ${s}.deliveries d CROSS JOIN LATERAL (
      SELECT FROM ${s}.webhook_endpoints e
      WHERE e.id = d.endpoint_id AND e.status = 'enabled' AND e.lane = 'fast' LIMIT 1) e
    WHERE d.id = n.id AND d.attempt = n.attempt AND d.state = n.state AND ${UNLEASED}
      AND d.due_at <= ${NOW} + $6::double precision * interval '1 ms' LIMIT 1) f),
pick AS (
  SELECT p.* FROM (
    SELECT * FROM found WHERE origin = 'event'
    UNION ALL
    (SELECT * FROM found WHERE origin = 'replay' ORDER BY due_at, id LIMIT $7::integer)) f
  CROSS JOIN LATERAL (
    SELECT d.id, d.lease_token AS old_token, d.leased_at AS old_leased_at FROM ${s}.deliveries d
    WHERE d.id = f.id AND d.attempt = f.attempt AND d.state = f.state AND ${UNLEASED}
    LIMIT 1 FOR UPDATE SKIP LOCKED) p),
${leaseSql(s)}
SELECT * FROM leased`,
);

/** Takes what is overdue; see `DeliveryQueue.claimDue`. @param floor no lower row is pending */
export async function claimDue(
  session: Session,
  claim: ClaimDue,
  floor: Date,
): Promise<ClaimedBatch> {
  const { rows } = await session.query<ClaimedRow | NothingClaimed>(
    claimDueStatements[claim.lane][claim.origin],
    [
      claim.shiftMs,
      claim.leaseToken,
      claim.leaseMs,
      claim.limit,
      claim.cursor,
      claim.excluded,
      claim.graceMs,
      floor,
      claim.excludedAccounts,
    ],
  );
  const deliveries = rows.filter(isClaimed).map(toClaimed);
  const endpoints = deliveries.map(({ endpointId }) => endpointId).toSorted();
  const isFull = deliveries.length === claim.limit;
  const next = isFull ? endpoints.at(-1) : rows[0]?.last_hop;
  return { deliveries, ...(next && { next }) };
}

/** Takes named rows; see `DeliveryQueue.claimById`. */
export async function claimById(
  session: Session,
  claim: ClaimById,
): Promise<readonly ClaimedDelivery[]> {
  const { rows } = await session.query<ClaimedRow>(claimByIdStatement, [
    claim.shiftMs,
    claim.leaseToken,
    claim.leaseMs,
    claim.wanted.map(({ id }) => id),
    claim.wanted.map(({ attempt }) => attempt),
    claim.aheadMs,
    claim.replays,
  ]);
  return rows.map(toClaimed);
}

function isClaimed(row: ClaimedRow | NothingClaimed): row is ClaimedRow {
  return row.id !== null;
}

function toClaimed(row: ClaimedRow): ClaimedDelivery {
  return {
    id: row.id,
    ...toEventAtEndpoint(row),
    url: row.url,
    lane: row.lane,
    secretVersion: row.secret_version,
    secrets: row.secrets,
    body: row.body,
    apiVersion: row.api_version,
    origin: row.origin,
    attempt: row.attempt,
    dueAt: row.due_at,
    leaseToken: row.lease_token,
    ...(row.old_token !== null &&
      row.old_leased_at !== null && {
        abandoned: { token: row.old_token, leasedAt: row.old_leased_at },
      }),
  };
}
