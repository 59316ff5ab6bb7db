import assert from 'node:assert/strict';
import { type DecideOnFailing, type FailingVerdict, warningKey } from '@paymount/core/events';
import type { AccountId } from '@paymount/core/kernel';
import { changeRows } from '../changes/change-rows.ts';
import type { ChangePorts } from '../changes/execute-change.ts';
import { type Statement, statement } from '../connection/statement.ts';
import { insertMails } from '../mails/mail-rows.ts';
import { present } from '../shared/present-rows.ts';
import type { Session } from '../transaction/session.ts';
import { ENDPOINT_COLUMNS, type EndpointRow, toEndpoint } from './endpoint-rows.ts';
import type { EndpointStreak } from './endpoint-streaks.ts';

const failingColumns = ENDPOINT_COLUMNS.map((name) => `e.${name}`).join(', ');
/** `$2`: the deliveries that failed. Of the clocks of two machines, one may be ahead. */
const findFailing = statement(
  'pm_endpoints_find_failing_v3',
  (s) => `SELECT ${failingColumns}, e.warning_queued_at, e.final_warning_queued_at,
      a.name AS account_name, a.email AS account_email,
      EXISTS (SELECT FROM ${s}.deliveries d WHERE d.id = ANY ($2::text[])
        AND d.created > e.failing_since + interval '1 minute') AS has_later
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
/**
 * Locks what decisions write to besides their endpoints, and returns the accounts of which another
 * transaction has locked it. An e-mail refers to its account; `$2` are the accounts that also get an audit
 * entry, which locks the head of their chain.
 */
const lockAccounts = statement(
  'pm_endpoints_lock_for_decisions_v1',
  (s) => `WITH accounts AS MATERIALIZED (
  SELECT a.id FROM ${s}.accounts a WHERE a.id = ANY ($1::text[]) FOR KEY SHARE SKIP LOCKED),
heads AS MATERIALIZED (
  SELECT h.chain FROM ${s}.audit_heads h WHERE h.chain = ANY ($2::text[]) FOR UPDATE SKIP LOCKED)
(SELECT a.id FROM ${s}.accounts a WHERE a.id = ANY ($1::text[]) EXCEPT SELECT id FROM accounts)
UNION
(SELECT h.chain FROM ${s}.audit_heads h WHERE h.chain = ANY ($2::text[]) EXCEPT SELECT chain FROM heads)`,
);

interface FailingRow extends EndpointRow {
  readonly failing_since: Date;
  readonly warning_queued_at: Date | null;
  readonly final_warning_queued_at: Date | null;
  readonly account_name: string;
  readonly account_email: string | null;
  readonly has_later: boolean;
}

/** What follows from failures for their endpoint. */
export interface EndpointDecision {
  readonly streak: EndpointStreak;
  readonly accountId: AccountId;
  readonly failedAt: Date;
  readonly verdict: FailingVerdict;
}

/** Decides on an endpoint that the transaction of the results has locked, and writes nothing yet. */
export async function decideOn(
  session: Session,
  streak: EndpointStreak,
  decide: DecideOnFailing,
): Promise<EndpointDecision | undefined> {
  const { id, failed } = streak;
  if (failed === undefined) return undefined;
  const [row] = (await session.query<FailingRow>(findFailing, [id, failed.of])).rows;
  if (row === undefined) return undefined;
  const key = warningKey(id, row.failing_since);
  const [sent] = (await session.query<{ sent_at: Date }>(findSent, [key])).rows;
  const endpoint = toEndpoint(row);
  const verdict = decide({
    endpoint,
    failingSince: row.failing_since,
    failedAt: failed.at,
    isGone: failed.isGone,
    mayDisable: failed.hasLast || row.has_later,
    ...failed.last,
    ...present({
      warningQueuedAt: row.warning_queued_at,
      finalWarningQueuedAt: row.final_warning_queued_at,
      warningSentAt: sent?.sent_at ?? null,
    }),
    account: { name: row.account_name, email: row.account_email },
  });
  return verdict && { streak, accountId: endpoint.accountId, failedAt: failed.at, verdict };
}

/**
 * Locks what the decisions write to, and waits for nothing: of accounts of which another transaction has
 * locked a row, they cannot be written yet.
 * @returns those that can
 */
export async function lockForDecisions(
  session: Session,
  decisions: readonly EndpointDecision[],
): Promise<readonly EndpointDecision[]> {
  const writing = decisions.filter(({ verdict: { mails, change } }) => mails.length > 0 || change);
  if (writing.length === 0) return decisions;
  const { rows } = await session.query<{ id: AccountId }>(lockAccounts, [
    writing.map(({ accountId }) => accountId),
    writing.filter(({ verdict }) => verdict.change).map(({ accountId }) => accountId),
  ]);
  const locked = new Set(rows.map(({ id }) => id));
  return decisions.filter((one) => !(writing.includes(one) && locked.has(one.accountId)));
}

/** Writes a decision, in the transaction of the results. */
export async function writeDecision(
  session: Session,
  ports: ChangePorts,
  { streak: { id }, failedAt, verdict }: EndpointDecision,
): Promise<void> {
  if (verdict.kind !== 'disabling') await session.query(MARKS[verdict.kind], [id, failedAt]);
  await insertMails(session, verdict.mails);
  if (verdict.change === undefined) return;
  const result = await changeRows(session, ports).apply(verdict.change);
  assert.equal(result, 'applied', 'The endpoint is locked.');
}
