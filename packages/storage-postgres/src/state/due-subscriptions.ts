import type { DueSubscriptions } from '@paymount/core/store';
import { statement } from '../connection/statement.ts';
import type { Session } from '../transaction/session.ts';

/** More would tell nothing more. */
const MAX_COUNTED = 100_000;

interface DueRow {
  readonly due: number;
  readonly since: Date | null;
  readonly dunning: Readonly<Record<string, number>> | null;
  readonly failing: number;
  readonly reminders: number;
  readonly reminders_since: Date | null;
  readonly reminders_failing: number;
}

/**
 * Nothing is due of an account that is suspended. What a worker looks at early, because its customer was
 * changed, is due from its creation on, and is not late.
 */
const count = statement(
  'pm_state_subscriptions_v3',
  (s) => `SELECT
    (SELECT count(*)::integer FROM (SELECT FROM ${s}.subscriptions u
      JOIN ${s}.accounts a ON a.id = u.account_id AND a.status = 'active'
      WHERE next_action_at <= $1 AND test_clock_id IS NULL LIMIT ${MAX_COUNTED}) d) AS due,
    (SELECT min(next_action_at) FROM ${s}.subscriptions u
      JOIN ${s}.accounts a ON a.id = u.account_id AND a.status = 'active'
      WHERE next_action_at <= $1 AND test_clock_id IS NULL AND next_action_at > u.created) AS since,
    (SELECT jsonb_object_agg(class, count) FROM
      (SELECT state #>> '{dunning,declineClass}' AS class, count(*) AS count FROM ${s}.subscriptions
        WHERE status = 'past_due' GROUP BY class) n) AS dunning,
    (SELECT count(*)::integer FROM (
      (SELECT FROM ${s}.subscriptions WHERE failing IS NOT NULL LIMIT ${MAX_COUNTED})
      UNION ALL (SELECT FROM ${s}.invoices WHERE failing IS NOT NULL LIMIT ${MAX_COUNTED})) f) AS failing,
    (SELECT count(*)::integer FROM (SELECT FROM ${s}.renewal_reminders r
      JOIN ${s}.accounts a ON a.id = r.account_id AND a.status = 'active'
      WHERE due_at <= $1 AND NOT is_done AND test_clock_id IS NULL LIMIT ${MAX_COUNTED}) d) AS reminders,
    (SELECT min(due_at) FROM ${s}.renewal_reminders r
      JOIN ${s}.accounts a ON a.id = r.account_id AND a.status = 'active'
      WHERE due_at <= $1 AND NOT is_done AND test_clock_id IS NULL) AS reminders_since,
    (SELECT count(*)::integer FROM (SELECT FROM ${s}.renewal_reminders
      WHERE failing_since IS NOT NULL AND NOT is_done LIMIT ${MAX_COUNTED}) g) AS reminders_failing`,
);

/** Subscriptions of all accounts that wait for a worker, and those that are not paid. */
export async function countDueSubscriptions(
  session: Session,
  now: Date,
): Promise<DueSubscriptions> {
  const [row] = (await session.query<DueRow>(count, [now])).rows;
  if (row === undefined) throw new Error('PostgreSQL returned no count.');
  const { customer = 0, limited = 0, never = 0, retry = 0 } = row.dunning ?? {};
  return {
    due: row.due,
    ...(row.since !== null && { since: row.since }),
    pastDue: { customer, limited, never, retry },
    failing: row.failing,
    reminders: {
      due: row.reminders,
      ...(row.reminders_since !== null && { since: row.reminders_since }),
      failing: row.reminders_failing,
    },
  };
}
