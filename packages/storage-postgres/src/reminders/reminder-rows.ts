import type { Reminder, ReminderQueue, ReminderRepository } from '@paymount/core/billing';
import {
  type AccountId,
  environmentOf,
  livemode,
  type SubscriptionId,
} from '@paymount/core/kernel';
import { type Statement, statement } from '../connection/statement.ts';
import type { Session } from '../transaction/session.ts';

interface ReminderRow {
  readonly account_id: AccountId;
  readonly livemode: boolean;
  readonly subscription_id: SubscriptionId;
  readonly kind: Reminder['kind'];
  readonly period_index: number;
  readonly due_at: Date;
}

const COLUMNS = 'account_id, livemode, subscription_id, kind, period_index, due_at';
const THIS = `account_id = $1 AND livemode = $2 AND subscription_id = $3 AND kind = $4
    AND period_index = $5`;
const WAITS = 'NOT is_done AND test_clock_id IS NULL';

/** After its subscription, which the same transaction may insert. */
const plan = statement(
  'pm_reminders_plan_v2',
  (s) => `INSERT INTO ${s}.renewal_reminders AS r (${COLUMNS}, is_done, test_clock_id)
    VALUES ($1, $2, $3, $4, $5, $6, false, $7)
    ON CONFLICT (account_id, livemode, subscription_id, kind) DO UPDATE
    SET period_index = EXCLUDED.period_index, due_at = EXCLUDED.due_at,
      is_done = r.is_done AND r.period_index = EXCLUDED.period_index, failing_since = NULL
    WHERE (r.period_index, r.due_at) IS DISTINCT FROM (EXCLUDED.period_index, EXCLUDED.due_at)`,
);
/** Who changes a reminder has locked its subscription first, so nobody waits for another. */
const take = statement(
  'pm_reminders_take_v1',
  (s) => `SELECT r.kind FROM ${s}.renewal_reminders r
    JOIN ${s}.subscriptions u ON u.account_id = r.account_id AND u.livemode = r.livemode
      AND u.id = r.subscription_id
    WHERE r.account_id = $1 AND r.livemode = $2 AND r.subscription_id = $3 AND r.kind = $4
      AND r.period_index = $5 AND r.due_at <= $6 AND NOT r.is_done
    FOR NO KEY UPDATE OF u, r SKIP LOCKED`,
);
const end = statement(
  'pm_reminders_end_v1',
  (s) => `UPDATE ${s}.renewal_reminders SET is_done = true WHERE ${THIS}`,
);
const postpone = statement(
  'pm_reminders_postpone_v2',
  (s) => `UPDATE ${s}.renewal_reminders
    SET due_at = $6, failing_since = CASE WHEN $7::timestamptz IS NOT NULL THEN coalesce(failing_since, $7) END
    WHERE ${THIS} AND NOT is_done`,
);
const isAnyDue = statement(
  'pm_reminders_any_due_v1',
  (s) => `SELECT EXISTS (SELECT FROM ${s}.renewal_reminders
    WHERE due_at <= $1 AND ${WAITS}) AS due`,
);
/** As what is due of subscriptions: from account to account, each by one look at the index. */
const findDue = statement(
  'pm_reminders_due_v1',
  (s) => `WITH RECURSIVE owners AS (
      (SELECT account_id, livemode FROM ${s}.renewal_reminders
        WHERE ${WAITS} AND (account_id, livemode) > ($2::text, $3::boolean)
        ORDER BY account_id, livemode LIMIT 1)
      UNION ALL
      SELECT n.account_id, n.livemode FROM owners o CROSS JOIN LATERAL (
        SELECT account_id, livemode FROM ${s}.renewal_reminders
        WHERE ${WAITS} AND (account_id, livemode) > (o.account_id, o.livemode)
        ORDER BY account_id, livemode LIMIT 1) n),
    waiting AS MATERIALIZED (
      SELECT o.account_id, o.livemode FROM owners o
      JOIN ${s}.accounts a ON a.id = o.account_id AND a.status = 'active'
      WHERE EXISTS (SELECT FROM ${s}.renewal_reminders t
        WHERE (t.account_id, t.livemode) = (o.account_id, o.livemode) AND due_at <= $1 AND ${WAITS})
      LIMIT $4)
    SELECT d.* FROM (SELECT *, $4 / count(*) OVER () AS share FROM waiting) w
    CROSS JOIN LATERAL (
      SELECT ${COLUMNS} FROM ${s}.renewal_reminders t
      WHERE (t.account_id, t.livemode) = (w.account_id, w.livemode) AND due_at <= $1 AND ${WAITS}
      ORDER BY due_at LIMIT w.share) d`,
);
const findDueOn = statement(
  'pm_reminders_due_on_v1',
  (s) => `SELECT ${COLUMNS} FROM ${s}.renewal_reminders
    WHERE test_clock_id = $1 AND due_at <= $2 AND NOT is_done ORDER BY due_at LIMIT $3`,
);

/** Reminders within a transaction. */
export function reminderRows(session: Session): ReminderRepository {
  return {
    async plan(reminders) {
      for (const { dueAt, clock, ...reminder } of reminders) {
        await session.query(plan, [...keyOf(reminder), dueAt, clock?.id ?? null]);
      }
    },
    async take(reminder, until) {
      const taken = await session.query(take, [...keyOf(reminder), until]);
      return taken.rows.length === 1;
    },
    async end(reminder) {
      await session.query(end, [...keyOf(reminder)]);
    },
    async postpone(reminder, until, failedAt) {
      await session.query(postpone, [...keyOf(reminder), until, failedAt ?? null]);
    },
  };
}

/** The reminders that workers send. */
export function reminderQueue(session: Session): ReminderQueue {
  const read = async (by: Statement, values: readonly unknown[]): Promise<readonly Reminder[]> =>
    (await session.query<ReminderRow>(by, [...values])).rows.map(toReminder);
  return {
    async findDue({ now, from, limit }) {
      const any = await session.query<{ due: boolean }>(isAnyDue, [now]);
      if (any.rows[0]?.due !== true) return [];
      const after = [from?.accountId ?? '', from !== undefined && livemode(from.environment)];
      return read(findDue, [now, ...after, limit]);
    },
    findDueOn: (clock, until, limit) => read(findDueOn, [clock, until, limit]),
  };
}

function keyOf(reminder: Omit<Reminder, 'dueAt'>): readonly unknown[] {
  const { accountId, environment, subscriptionId, kind, periodIndex } = reminder;
  return [accountId, livemode(environment), subscriptionId, kind, periodIndex];
}

function toReminder(row: ReminderRow): Reminder {
  return {
    accountId: row.account_id,
    environment: environmentOf(row.livemode),
    subscriptionId: row.subscription_id,
    kind: row.kind,
    periodIndex: row.period_index,
    dueAt: row.due_at,
  };
}
