import assert from 'node:assert/strict';
import {
  type CloseAttempt,
  type DecideOnFailing,
  type FailingEndpoint,
  type FailingVerdict,
  WARN_AFTER_MS,
  warningKey,
} from '@paymount/core/events';
import type { EndpointId } from '@paymount/core/kernel';
import { changeRows } from '../changes/change-rows.ts';
import type { ChangePorts } from '../changes/execute-change.ts';
import { type Statement, statement } from '../connection/statement.ts';
import { insertMails } from '../mails/mail-rows.ts';
import { present } from '../shared/present-rows.ts';
import type { Session } from '../transaction/session.ts';
import { ENDPOINT_COLUMNS, type EndpointRow, toEndpoint } from './endpoint-rows.ts';

/** What a batch of results says about one endpoint. */
export interface EndpointStreak {
  readonly id: EndpointId;
  /** An attempt succeeded, which ends what failed before. */
  readonly succeeded: boolean;
  /** The failures since, if any. */
  readonly failed?: {
    readonly since: Date;
    readonly at: Date;
    readonly isGone: boolean;
    /** To which the last of them was sent. */
    readonly url: string;
    readonly last: Pick<FailingEndpoint, 'lastStatus' | 'lastError'>;
  };
}

/** What results say about each of their endpoints, in the order of ids. */
export function toStreaks(results: readonly CloseAttempt[]): readonly EndpointStreak[] {
  const streaks = new Map<EndpointId, EndpointStreak>();
  for (const result of results.toSorted((a, b) => a.endedAt.getTime() - b.endedAt.getTime())) {
    const id = result.record.endpointId;
    streaks.set(id, extended(streaks.get(id) ?? { id, succeeded: false }, result));
  }
  return [...streaks.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

function extended({ id, succeeded, failed }: EndpointStreak, result: CloseAttempt): EndpointStreak {
  const { outcome, responseStatus, errorCode, url } = result.record;
  if (outcome === 'succeeded') return { id, succeeded: true };
  const at = result.endedAt;
  const last = {
    ...(responseStatus !== undefined && { lastStatus: responseStatus }),
    ...(errorCode !== undefined && { lastError: errorCode }),
  };
  const isGone = result.isGone === true || (failed?.isGone === true && failed.url === url);
  return { id, succeeded, failed: { since: failed?.since ?? at, at, isGone, url, last } };
}

const CLEARED = 'failing_since = NULL, warning_queued_at = NULL, final_warning_queued_at = NULL';

/**
 * The CTE that ends the streaks of endpoints with a success; it writes nothing while none of them
 * was failing. @param ids placeholder of their ids
 */
export function endStreaks(s: string, ids: string): string {
  return `ended AS (
  UPDATE ${s}.webhook_endpoints e SET ${CLEARED}
  FROM (SELECT f.id FROM ${s}.webhook_endpoints f
    WHERE f.id = ANY (${ids}::text[]) AND f.failing_since IS NOT NULL AND f.status = 'enabled'
    ORDER BY f.id FOR NO KEY UPDATE) f
  WHERE e.id = f.id)`;
}

/**
 * Begins and ends streaks, and returns the endpoints to decide on. Rows are locked, in the order of
 * ids, only where something changes or is to be decided.
 */
const keep = statement(
  'pm_endpoints_keep_streaks_v1',
  (s) => `WITH n AS MATERIALIZED (
  SELECT * FROM unnest($1::text[], $2::boolean[], $3::timestamptz[], $4::timestamptz[],
    $5::boolean[]) AS n (id, succeeded, since, failed_at, is_gone)),
locked AS MATERIALIZED (
  SELECT e.id, n.succeeded, n.since, e.failing_since,
    n.is_gone OR NOT n.succeeded AND e.failing_since IS NOT NULL
      AND e.failing_since <= n.failed_at - $6::double precision * interval '1 ms' AS is_due
  FROM ${s}.webhook_endpoints e JOIN n ON n.id = e.id
  WHERE e.id = ANY ($1::text[]) AND e.status = 'enabled' AND (
    n.succeeded AND e.failing_since IS NOT NULL
    OR n.since IS NOT NULL AND (e.failing_since IS NULL OR n.is_gone
      OR e.failing_since <= n.failed_at - $6::double precision * interval '1 ms'))
  ORDER BY e.id FOR NO KEY UPDATE OF e),
ended AS (
  UPDATE ${s}.webhook_endpoints e SET ${CLEARED.replace('NULL', 'l.since')}
  FROM locked l WHERE e.id = l.id AND (l.succeeded OR l.failing_since IS NULL))
SELECT id FROM locked WHERE is_due ORDER BY id`,
);

const failingColumns = ENDPOINT_COLUMNS.map((name) => `e.${name}`).join(', ');
const findFailing = statement(
  'pm_endpoints_find_failing_v2',
  (s) => `SELECT ${failingColumns}, e.warning_queued_at, e.final_warning_queued_at,
      a.name AS account_name, a.email AS account_email
    FROM ${s}.webhook_endpoints e JOIN ${s}.accounts a ON a.id = e.account_id WHERE e.id = $1`,
);
const findSent = statement(
  'pm_mails_sent_at_v1',
  (s) => `SELECT sent_at FROM ${s}.mails WHERE dedupe_key = $1 AND sent_at IS NOT NULL`,
);
const mark = (name: `pm_${string}`, column: string): Statement =>
  statement(name, (s) => `UPDATE ${s}.webhook_endpoints SET ${column} = $2 WHERE id = $1`);
const MARKS: Readonly<Record<Exclude<FailingVerdict['kind'], 'disabling'>, Statement>> = {
  warning: mark('pm_endpoints_warned_v1', 'warning_queued_at'),
  final_warning: mark('pm_endpoints_warned_finally_v1', 'final_warning_queued_at'),
};

interface FailingRow extends EndpointRow {
  readonly failing_since: Date;
  readonly warning_queued_at: Date | null;
  readonly final_warning_queued_at: Date | null;
  readonly account_name: string;
  readonly account_email: string | null;
}

/** Keeps the streaks of endpoints, in the transaction of the results; see `DeliveryQueue.close`. */
export async function keepStreaks(
  session: Session,
  ports: ChangePorts,
  {
    streaks,
    decide,
  }: { readonly streaks: readonly EndpointStreak[]; readonly decide: DecideOnFailing },
): Promise<void> {
  const { rows } = await session.query<{ id: EndpointId }>(keep, [
    streaks.map(({ id }) => id),
    streaks.map(({ succeeded }) => succeeded),
    streaks.map(({ failed }) => failed?.since ?? null),
    streaks.map(({ failed }) => failed?.at ?? null),
    streaks.map(({ failed }) => failed?.isGone ?? false),
    WARN_AFTER_MS,
  ]);
  for (const { id } of rows) {
    const streak = streaks.find((each) => each.id === id);
    if (streak?.failed) await decideOne(session, ports, { id, failed: streak.failed, decide });
  }
}

async function decideOne(
  session: Session,
  ports: ChangePorts,
  {
    id,
    failed,
    decide,
  }: Required<Pick<EndpointStreak, 'id' | 'failed'>> & { decide: DecideOnFailing },
): Promise<void> {
  const [row] = (await session.query<FailingRow>(findFailing, [id])).rows;
  // What an earlier URL answered says nothing about the present one.
  if (row === undefined || row.url !== failed.url) return;
  const key = warningKey(id, row.failing_since);
  const [sent] = (await session.query<{ sent_at: Date }>(findSent, [key])).rows;
  const verdict = decide({
    endpoint: toEndpoint(row),
    failingSince: row.failing_since,
    failedAt: failed.at,
    isGone: failed.isGone,
    ...failed.last,
    ...present({
      warningQueuedAt: row.warning_queued_at,
      finalWarningQueuedAt: row.final_warning_queued_at,
      warningSentAt: sent?.sent_at ?? null,
    }),
    account: { name: row.account_name, email: row.account_email },
  });
  if (verdict === undefined) return;
  if (verdict.kind !== 'disabling') await session.query(MARKS[verdict.kind], [id, failed.at]);
  await insertMails(session, verdict.mails);
  if (verdict.change === undefined) return;
  const result = await changeRows(session, ports).apply(verdict.change);
  assert.equal(result, 'applied', 'The endpoint is locked.');
}
