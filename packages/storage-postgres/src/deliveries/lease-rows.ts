import type { ClaimedDelivery, EndpointLane } from '@paymount/core/events';
import type { DeliveryId } from '@paymount/core/kernel';
import { signsAt } from '../endpoints/signs-at.ts';
import { type EventAtEndpointRow, toEventAtEndpoint } from './event-at-endpoint.ts';
import { NOW } from './pending-rows.ts';

/** How many deliveries of one endpoint a claim takes before it moves to the next. */
export const PER_ENDPOINT = {
  fast: { event: 4, replay: 2 },
  slow: { event: 1, replay: 1 },
} as const;

/** A row that a claim has leased. */
export interface ClaimedRow extends EventAtEndpointRow {
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

/** Nobody holds the row any more. */
export const NO_LEASE = 'lease_token = NULL, leased_at = NULL, lease_until = NULL';

/** Nobody holds the row `d`. */
export const UNLEASED = `(d.lease_until IS NULL OR d.lease_until < ${NOW})`;

/**
 * `$2` is the lease's token, `$3` its length. The selected rows are leased, and `leased` has all
 * that an attempt needs. `ANY` finds them by the primary key, whatever statistics say.
 */
export function leaseSql(s: string): string {
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
     WHERE k.endpoint_id = c.endpoint_id AND ${signsAt('k', NOW)})
       AS secrets
  FROM claimed c
  CROSS JOIN LATERAL (
    SELECT e.url, e.lane, e.secret_version, e.api_version FROM ${s}.webhook_endpoints e
    WHERE e.id = c.endpoint_id LIMIT 1) e
  CROSS JOIN LATERAL (
    SELECT v.body FROM ${s}.events v
    WHERE v.account_id = c.account_id AND v.livemode = c.livemode AND v.id = c.event_id LIMIT 1) v)`;
}

/** The delivery of a leased row. */
export function toClaimed(row: ClaimedRow): ClaimedDelivery {
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
