import type { EventType } from '@paymount/core/changes';
import type { ClaimById, ClaimDue, ClaimedDelivery } from '@paymount/core/events';
import type { AccountId, DeliveryId, EndpointId, EventId } from '@paymount/core/kernel';
import { environmentOf } from '@paymount/core/kernel';
import type { Session } from '../session.ts';
import { statement } from '../shared/statement.ts';

/** How many deliveries of one endpoint a claim takes before it moves to the next. */
const PER_ENDPOINT = 4;

interface ClaimedRow {
  readonly id: DeliveryId;
  readonly account_id: AccountId;
  readonly livemode: boolean;
  readonly event_id: EventId;
  readonly event_type: EventType;
  readonly endpoint_id: EndpointId;
  readonly url: string;
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

/** `$1` is the shift of a fake clock. now() is one value per statement, so indexes can use it. */
const NOW = "(now() + $1::double precision * interval '1 ms')";
const UNLEASED = `(d.lease_until IS NULL OR d.lease_until < ${NOW})`;

/**
 * `$2` is the lease's token, `$3` its length. The selected rows are leased and returned with all
 * that an attempt needs.
 */
function leaseSql(s: string): string {
  return `claimed AS (
  UPDATE ${s}.deliveries d SET leased_at = ${NOW}, lease_token = $2::text,
    lease_until = ${NOW} + $3::double precision * interval '1 ms'
  FROM pick WHERE d.id = pick.id
  RETURNING d.id, d.account_id, d.livemode, d.event_id, d.event_type, d.endpoint_id, d.origin,
    d.attempt, d.due_at, d.lease_token, pick.old_token, pick.old_leased_at)
SELECT c.*, e.url, e.secret_version, e.api_version, v.body,
  (SELECT COALESCE(jsonb_agg(jsonb_build_object('id', k.id, 'sealed', k.sealed)
     ORDER BY k.created DESC, k.id DESC), '[]')
   FROM ${s}.endpoint_secrets k
   WHERE k.endpoint_id = c.endpoint_id AND (k.expires_at IS NULL OR k.expires_at > ${NOW})) AS secrets
FROM claimed c
JOIN ${s}.webhook_endpoints e ON e.id = c.endpoint_id
JOIN ${s}.events v ON v.account_id = c.account_id AND v.livemode = c.livemode AND v.id = c.event_id`;
}

/**
 * A loose index scan over the endpoints of this origin: of a backlog of 50,000 on one endpoint it
 * reads four rows, and of the other origin none. It starts only if something is due. Each LATERAL
 * depends on the previous one, so that no plan reads or locks more rows than it takes.
 */
function claimDueSql(s: string, origin: ClaimDue['origin']): string {
  const waiting = (name: string): string =>
    `${s}.deliveries ${name} WHERE ${name}.state = 'pending' AND ${name}.origin = '${origin}'`;
  return `WITH RECURSIVE w AS (
  (SELECT d.endpoint_id FROM ${waiting('d')} AND d.endpoint_id > $5::text
     AND (SELECT x.due_at FROM ${waiting('x')} ORDER BY x.due_at LIMIT 1) <= ${NOW}
   ORDER BY d.endpoint_id LIMIT 1)
  UNION ALL
  SELECT (SELECT d.endpoint_id FROM ${waiting('d')} AND d.endpoint_id > w.endpoint_id
    ORDER BY d.endpoint_id LIMIT 1)
  FROM w WHERE w.endpoint_id IS NOT NULL),
pick AS (
  SELECT p.id, p.old_token, p.old_leased_at FROM w
  CROSS JOIN LATERAL (
    SELECT e.id FROM ${s}.webhook_endpoints e
    WHERE e.id = w.endpoint_id AND e.status = 'enabled' AND e.id <> ALL ($6::text[]) LIMIT 1) e
  CROSS JOIN LATERAL (
    SELECT d.id, d.lease_token AS old_token, d.leased_at AS old_leased_at FROM ${waiting('d')}
      AND d.endpoint_id = e.id AND ${UNLEASED}
      AND d.due_at <= ${NOW} - $7::double precision * interval '1 ms'
    ORDER BY d.due_at LIMIT ${PER_ENDPOINT} FOR UPDATE SKIP LOCKED) p
  LIMIT $4::integer),
${leaseSql(s)}`;
}

/** Each origin has its own, so that neither reads the other's rows. */
export const claimDueStatements = {
  event: statement('pm_deliveries_claim_due_v5', (s) => claimDueSql(s, 'event')),
  replay: statement('pm_deliveries_claim_replays_v2', (s) => claimDueSql(s, 'replay')),
};

/** The named attempts that may be made now. */
function namedSql(s: string, which: string): string {
  return `SELECT d.id, d.lease_token AS old_token, d.leased_at AS old_leased_at
  FROM n JOIN ${s}.deliveries d ON d.id = n.id AND d.attempt = n.attempt
  JOIN ${s}.webhook_endpoints e ON e.id = d.endpoint_id AND e.status = 'enabled'
  WHERE ${which} AND d.state = 'pending' AND ${UNLEASED}
    AND d.due_at <= ${NOW} + $6::double precision * interval '1 ms'`;
}

const claimByIdStatement = statement(
  'pm_deliveries_claim_ids_v3',
  (s) => `WITH n AS (
  SELECT * FROM unnest($4::text[], $5::smallint[]) AS n (id, attempt)),
fresh AS (${namedSql(s, "d.origin = 'event'")} FOR UPDATE OF d SKIP LOCKED),
again AS (${namedSql(s, "d.origin = 'replay'")}
  ORDER BY d.due_at, d.id LIMIT $7::integer FOR UPDATE OF d SKIP LOCKED),
pick AS (SELECT * FROM fresh UNION ALL SELECT * FROM again),
${leaseSql(s)}`,
);

/** Takes what is overdue; see `DeliveryQueue.claimDue`. */
export async function claimDue(
  session: Session,
  claim: ClaimDue,
): Promise<readonly ClaimedDelivery[]> {
  const { rows } = await session.query<ClaimedRow>(claimDueStatements[claim.origin], [
    claim.shiftMs,
    claim.leaseToken,
    claim.leaseMs,
    claim.limit,
    claim.cursor,
    claim.excluded,
    claim.graceMs,
  ]);
  return rows.map(toClaimed);
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

function toClaimed(row: ClaimedRow): ClaimedDelivery {
  return {
    id: row.id,
    accountId: row.account_id,
    environment: environmentOf(row.livemode),
    eventId: row.event_id,
    eventType: row.event_type,
    endpointId: row.endpoint_id,
    url: row.url,
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
