import type { ClaimDue, Endpoint } from '@paymount/core/events';
import type { CrashPoint, EndpointId } from '@paymount/core/kernel';
import { type Statement, statement } from '../connection/statement.ts';
import type { Session } from '../transaction/session.ts';
import { inTransaction, rerun } from '../transaction/transaction.ts';

/** Endpoints of one round; the others follow in the next. */
const MAX_ENDPOINTS = 1_000;
/** Resumed deliveries are due this far apart, so that an endpoint that is back is not flooded. */
const SPACING_MS = 10;
const MAX_SPREAD_MS = 60_000;

const NOW = "(now() + $1::double precision * interval '1 ms')";
const NO_LEASE = 'lease_token = NULL, leased_at = NULL, lease_until = NULL';

/** In the order of the index that begins with the endpoint and the state. */
const pending = (s: string, id: string): string =>
  `FROM ${s}.deliveries d WHERE d.endpoint_id = ${id} AND d.state = 'pending'`;
const PENDING_ORDER = 'd.created, d.id';
/** Bounds and order on the endpoint: so the index of parked deliveries is used. */
const parked = (s: string, id: string): string =>
  `FROM ${s}.deliveries d WHERE d.state = 'parked'
    AND d.endpoint_id >= ${id} AND d.endpoint_id <= ${id}`;

const UNLEASED = `(d.lease_until IS NULL OR d.lease_until < ${NOW})`;
const takePending = (s: string): string =>
  `SELECT id FROM (SELECT d.id ${pending(s, '$2')} AND ${UNLEASED}
    ORDER BY ${PENDING_ORDER} LIMIT $3::integer FOR UPDATE SKIP LOCKED) pending`;
const takeParked = (s: string): string =>
  `SELECT id FROM (SELECT d.id ${parked(s, '$2')}
    ORDER BY d.endpoint_id LIMIT $3::integer FOR UPDATE SKIP LOCKED) parked`;
const hasPending = (s: string, id: string): string =>
  `(SELECT true ${pending(s, id)} ORDER BY ${PENDING_ORDER} LIMIT 1) IS NOT NULL`;
const hasParked = (s: string, id: string): string =>
  `(SELECT true ${parked(s, id)} ORDER BY d.endpoint_id LIMIT 1) IS NOT NULL`;

/** Whatever statistics say, the plans left read an index in its order, and stop at the limit. */
const NO_BACKLOG_IS_SORTED =
  'SET LOCAL enable_sort = off; SET LOCAL enable_incremental_sort = off; SET LOCAL enable_bitmapscan = off';

/** Joined to `stale`, a plan may read the whole table, because statistics say that this is cheaper. */
const STALE = 'd.id = ANY (ARRAY(SELECT id FROM stale))';

/** `$1` is the shift of the clock, `$2` the endpoint, `$3` the limit. */
interface Application {
  /** In the names of its crash points. */
  readonly verb: 'park' | 'cancel' | 'resume';
  readonly move: Statement;
  /** Whether the endpoint has none left to move, not even a running one. */
  readonly end: Statement;
}

function endStatement(name: `pm_${string}`, hasMore: (s: string) => string): Statement {
  return statement(
    name,
    (s) => `UPDATE ${s}.webhook_endpoints SET status_changed = false
    WHERE id = $1 AND NOT (${hasMore(s)})`,
  );
}

const APPLICATIONS: Readonly<Record<Endpoint['status'], Application>> = {
  disabled: {
    verb: 'park',
    move: statement(
      'pm_deliveries_park_v5',
      (s) => `WITH stale AS (${takePending(s)})
UPDATE ${s}.deliveries d SET ${NO_LEASE}, state = 'parked' WHERE ${STALE}`,
    ),
    end: endStatement('pm_endpoints_parked_v2', (s) => hasPending(s, '$1')),
  },
  deleted: {
    verb: 'cancel',
    move: statement(
      'pm_deliveries_cancel_v3',
      (s) => `WITH stale AS (${takePending(s)} UNION ALL ${takeParked(s)} LIMIT $3::integer)
UPDATE ${s}.deliveries d SET ${NO_LEASE}, state = 'canceled', finished_at = ${NOW}
WHERE ${STALE}`,
    ),
    end: endStatement(
      'pm_endpoints_canceled_v2',
      (s) => `${hasPending(s, '$1')} OR ${hasParked(s, '$1')}`,
    ),
  },
  enabled: {
    verb: 'resume',
    move: statement(
      'pm_deliveries_resume_v2',
      (s) => `WITH stale AS (${takeParked(s)}),
waiting AS (SELECT count(*)::integer AS number
  FROM (SELECT ${parked(s, '$2')} ORDER BY d.endpoint_id
    LIMIT ${MAX_SPREAD_MS / SPACING_MS}) w),
placed AS (SELECT id, row_number() OVER (ORDER BY id) - 1 AS place, count(*) OVER () AS number
  FROM stale)
UPDATE ${s}.deliveries d SET state = 'pending', due_at = ${NOW}
  + ${SPACING_MS} * p.place * (SELECT number FROM waiting) / p.number * interval '1 ms'
FROM placed p WHERE d.id = p.id`,
    ),
    end: endStatement('pm_endpoints_resumed_v1', (s) => hasParked(s, '$1')),
  },
};

const changed = statement(
  'pm_endpoints_status_changed_v1',
  (s) => `SELECT id FROM ${s}.webhook_endpoints WHERE status_changed ORDER BY id LIMIT $1::integer`,
);
const lock = statement(
  'pm_endpoints_lock_changed_v1',
  (s) => `SELECT status FROM ${s}.webhook_endpoints WHERE id = $1 AND status_changed
    FOR NO KEY UPDATE SKIP LOCKED`,
);
/**
 * The endpoints with anything in an index that begins with them, one after the other: endpoints are
 * kept when they are deleted, so there may be many more of them.
 */
const holdersSql = (name: string, rows: string, order: string): string => {
  const next = (after: string): string => `SELECT d.endpoint_id ${rows} AND ${after}
    ORDER BY ${order} LIMIT 1`;
  const last = order.includes('due_at')
    ? `(d.endpoint_id, d.due_at) > (${name}.endpoint_id, 'infinity')`
    : `d.endpoint_id > ${name}.endpoint_id`;
  return `${name} (endpoint_id) AS (
  (${next("d.endpoint_id > ''")})
  UNION ALL
  SELECT (${next(last)}) FROM ${name} WHERE ${name}.endpoint_id IS NOT NULL)`;
};
const misfitSql = (s: string, holders: string, fitting: Endpoint['status']): string =>
  `SELECT e.id FROM ${holders} h CROSS JOIN LATERAL (
    SELECT e.id FROM ${s}.webhook_endpoints e
    WHERE e.id = h.endpoint_id AND NOT e.status_changed AND e.status <> '${fitting}' LIMIT 1) e`;
const recheck = statement('pm_endpoints_recheck_v3', (s) => {
  const waiting = (origin: ClaimDue['origin']): string =>
    `FROM ${s}.deliveries d WHERE d.state = 'pending' AND d.origin = '${origin}'`;
  return `WITH RECURSIVE ${holdersSql('events', waiting('event'), 'd.endpoint_id, d.due_at')},
${holdersSql('replays', waiting('replay'), 'd.endpoint_id, d.due_at')},
${holdersSql('parked', `FROM ${s}.deliveries d WHERE d.state = 'parked'`, 'd.endpoint_id')}
UPDATE ${s}.webhook_endpoints e SET status_changed = true
WHERE e.id = ANY (ARRAY(SELECT o.id FROM ${s}.webhook_endpoints o
  WHERE NOT o.status_changed AND o.id = ANY (ARRAY(
    ${misfitSql(s, 'events', 'enabled')} UNION ${misfitSql(s, 'replays', 'enabled')}
    UNION ${misfitSql(s, 'parked', 'disabled')}))
  ORDER BY o.id FOR NO KEY UPDATE SKIP LOCKED))`;
});

interface Step {
  readonly shiftMs: number;
  /** Deliveries of one endpoint. */
  readonly limit: number;
  readonly crashPoint: CrashPoint;
}

/** Applies changed statuses of endpoints; see `DeliveryQueue.applyStatuses`. */
export async function applyStatuses(session: Session, step: Step): Promise<boolean> {
  const { rows } = await session.query<{ id: EndpointId }>(changed, [MAX_ENDPOINTS]);
  let hasMore = false;
  for (const { id } of rows) {
    const moved = await applyOne(session, id, step);
    hasMore ||= moved === step.limit;
  }
  return hasMore;
}

/**
 * The lock on the endpoint keeps its status until the step is committed, and gives the endpoint to
 * one worker at a time. Each statement after it sees all that was committed before.
 * @returns how many deliveries were moved
 */
async function applyOne(
  session: Session,
  id: EndpointId,
  { shiftMs, limit, crashPoint }: Step,
): Promise<number> {
  const done = await inTransaction(session, async (inner) => {
    const [locked] = (await inner.query<Pick<Endpoint, 'status'>>(lock, [id])).rows;
    if (locked === undefined) return undefined;
    const { verb, move, end } = APPLICATIONS[locked.status];
    await inner.plain(NO_BACKLOG_IS_SORTED);
    const moved = (await inner.query(move, [shiftMs, id, limit])).rowCount ?? 0;
    if (moved < limit) await inner.query(end, [id]);
    if (moved > 0) crashPoint(`${verb}.before_commit`);
    return { verb, moved };
  });
  if (done === undefined) return 0;
  if (done.moved > 0) crashPoint(`${done.verb}.after_commit`);
  return done.moved;
}

/** Finds endpoints whose deliveries do not fit their status; see `DeliveryQueue.recheckStatuses`. */
export async function recheckStatuses(session: Session): Promise<void> {
  await rerun(() => session.query(recheck, []));
}
