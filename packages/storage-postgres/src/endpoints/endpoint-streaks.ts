import { type CloseAttempt, type FailingEndpoint, WARN_AFTER_MS } from '@paymount/core/events';
import type { DeliveryId, EndpointId } from '@paymount/core/kernel';
import { statement } from '../connection/statement.ts';
import type { Session } from '../transaction/session.ts';

/** A result that is recorded this long after its end has waited for something. */
const WAITED_MS = 1_000;

/** What a batch of results says about one URL of an endpoint. */
export interface EndpointStreak {
  readonly id: EndpointId;
  /** To which they were sent. A streak is of one URL: a repaired one starts its own. */
  readonly url: string;
  /** An attempt succeeded, which ends what failed before. */
  readonly succeeded: boolean;
  /** The failures since, if any. */
  readonly failed?: {
    /** When the first of them ended; if it waited, when it is recorded: all successes known then are older. */
    readonly since: Date;
    readonly at: Date;
    readonly isGone: boolean;
    /** Their deliveries. */
    readonly of: readonly DeliveryId[];
    /** One of them was the last attempt of its delivery. */
    readonly hasLast: boolean;
    readonly last: Pick<FailingEndpoint, 'lastStatus' | 'lastError'>;
  };
}

/** What results say about each of their endpoints, in the order of ids. */
export function toStreaks(results: readonly CloseAttempt[]): readonly EndpointStreak[] {
  const streaks = new Map<string, EndpointStreak>();
  for (const result of results.toSorted((a, b) => a.endedAt.getTime() - b.endedAt.getTime())) {
    const { endpointId: id, url } = result.record;
    const key = `${id} ${url}`;
    streaks.set(key, extended(streaks.get(key) ?? { id, url, succeeded: false }, result));
  }
  return [...streaks.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

function extended(streak: EndpointStreak, result: CloseAttempt): EndpointStreak {
  const { id, url, succeeded, failed } = streak;
  const { outcome, responseStatus, errorCode } = result.record;
  if (outcome === 'succeeded') return { id, url, succeeded: true };
  const at = result.endedAt;
  const last = {
    ...(responseStatus !== undefined && { lastStatus: responseStatus }),
    ...(errorCode !== undefined && { lastError: errorCode }),
  };
  const waitedMs = result.endedAgoMs > WAITED_MS ? result.endedAgoMs : 0;
  const since = failed?.since ?? new Date(at.getTime() + waitedMs);
  const isGone = result.isGone === true || failed?.isGone === true;
  const hasLast = result.verdict.next === 'failed' || failed?.hasLast === true;
  const of = [...(failed?.of ?? []), result.id];
  return { id, url, succeeded, failed: { since, at, isGone, of, hasLast, last } };
}

const CLEARED = 'failing_since = NULL, warning_queued_at = NULL, final_warning_queued_at = NULL';

/**
 * CTEs that end the streaks of endpoints with a success. They write nothing while none of them was
 * failing. `held` are those whose streak must end and whose row another transaction has locked: nothing
 * waits for it, and their results are recorded later.
 * @param ids placeholder of their ids
 * @param urls placeholder of the URLs that accepted
 */
export function endStreaks(s: string, ids: string, urls: string): string {
  const failing = `e.failing_since IS NOT NULL AND e.status = 'enabled'`;
  return `failing AS MATERIALIZED (
  SELECT e.id FROM unnest(${ids}::text[], ${urls}::text[]) AS k (id, url)
  JOIN ${s}.webhook_endpoints e ON e.id = k.id AND e.url = k.url
  WHERE e.id = ANY (${ids}::text[]) AND ${failing}),
free AS MATERIALIZED (
  SELECT e.id FROM ${s}.webhook_endpoints e
  WHERE e.id = ANY (ARRAY(SELECT id FROM failing)) AND ${failing}
  ORDER BY e.id FOR NO KEY UPDATE SKIP LOCKED),
held AS MATERIALIZED (SELECT id FROM failing EXCEPT SELECT id FROM free),
ended AS (
  UPDATE ${s}.webhook_endpoints e SET ${CLEARED} FROM free f WHERE e.id = f.id)`;
}

/**
 * Begins and ends streaks, and returns the endpoints to decide on, and those whose row another
 * transaction has locked (`is_held`), about which nothing was written. Rows are locked, in the order of
 * ids, only where something changes or is to be decided.
 */
const keep = statement('pm_endpoints_keep_streaks_v2', (s) => {
  const isOld = `e.failing_since <= n.failed_at - $6::double precision * interval '1 ms'`;
  const isConcerned = `e.status = 'enabled' AND e.url = n.url AND (
    n.succeeded AND e.failing_since IS NOT NULL
    OR n.since IS NOT NULL AND (e.failing_since IS NULL OR n.is_gone OR ${isOld}))`;
  return `WITH n AS MATERIALIZED (
  SELECT * FROM unnest($1::text[], $2::boolean[], $3::timestamptz[], $4::timestamptz[],
    $5::boolean[], $7::text[]) AS n (id, succeeded, since, failed_at, is_gone, url)),
concerned AS MATERIALIZED (
  SELECT e.id, e.url FROM ${s}.webhook_endpoints e JOIN n ON n.id = e.id
  WHERE e.id = ANY ($1::text[]) AND ${isConcerned}),
locked AS MATERIALIZED (
  SELECT e.id, e.url, n.succeeded, n.since, e.failing_since,
    n.is_gone OR NOT n.succeeded AND e.failing_since IS NOT NULL AND ${isOld} AS is_due
  FROM ${s}.webhook_endpoints e JOIN n ON n.id = e.id
  WHERE e.id = ANY (ARRAY(SELECT id FROM concerned)) AND ${isConcerned}
  ORDER BY e.id FOR NO KEY UPDATE OF e SKIP LOCKED),
ended AS (
  UPDATE ${s}.webhook_endpoints e SET ${CLEARED.replace('NULL', 'l.since')}
  FROM locked l WHERE e.id = l.id AND (l.succeeded OR l.failing_since IS NULL))
SELECT id, url, false AS is_held, is_due FROM locked
UNION ALL
SELECT id, url, true, false FROM concerned WHERE id NOT IN (SELECT id FROM locked) ORDER BY id`;
});

/** What is known of the streaks of the endpoints of a batch. */
export interface KeptStreaks {
  /** Endpoints that another transaction has locked. Their results must not be recorded yet. */
  readonly held: ReadonlySet<EndpointId>;
  /** Endpoints to decide on; locked until the transaction ends. */
  readonly due: readonly EndpointStreak[];
}

/** Keeps the streaks of endpoints, in the transaction of the results; see `DeliveryQueue.close`. */
export async function keepStreaks(
  session: Session,
  streaks: readonly EndpointStreak[],
): Promise<KeptStreaks> {
  const { rows } = await session.query<KeptRow>(keep, [
    streaks.map(({ id }) => id),
    streaks.map(({ succeeded }) => succeeded),
    streaks.map(({ failed }) => failed?.since ?? null),
    streaks.map(({ failed }) => failed?.at ?? null),
    streaks.map(({ failed }) => failed?.isGone ?? false),
    WARN_AFTER_MS,
    streaks.map(({ url }) => url),
  ]);
  const due = rows.flatMap((row) =>
    row.is_due ? streaks.filter(({ id, url }) => id === row.id && url === row.url) : [],
  );
  return { held: new Set(rows.flatMap((row) => (row.is_held ? row.id : []))), due };
}

interface KeptRow {
  readonly id: EndpointId;
  readonly url: string;
  readonly is_held: boolean;
  readonly is_due: boolean;
}
