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

/** After its subscription, which the same transaction may insert. */
const plan = statement(
  'pm_reminders_plan_v1',
  (s) => `INSERT INTO ${s}.renewal_reminders AS r (${COLUMNS}, is_done, test_clock_id)
    VALUES ($1, $2, $3, $4, $5, $6, false, $7)
    ON CONFLICT (account_id, livemode, subscription_id, kind) DO UPDATE
    SET period_index = EXCLUDED.period_index, due_at = EXCLUDED.due_at,
      is_done = r.is_done AND r.period_index = EXCLUDED.period_index
    WHERE (r.period_index, r.due_at) IS DISTINCT FROM (EXCLUDED.period_index, EXCLUDED.due_at)`,
);
const take = statement(
  'pm_reminders_take_v1',
  (s) => `UPDATE ${s}.renewal_reminders r SET is_done = true
    FROM (SELECT subscription_id, kind FROM ${s}.renewal_reminders
      WHERE account_id = $1 AND livemode = $2 AND subscription_id = $3 AND kind = $4
        AND period_index = $5 AND due_at <= $6 AND NOT is_done FOR UPDATE SKIP LOCKED) due
    WHERE r.account_id = $1 AND r.livemode = $2 AND r.subscription_id = due.subscription_id
      AND r.kind = due.kind`,
);
const findDue = statement(
  'pm_reminders_due_v1',
  (s) => `SELECT ${COLUMNS} FROM ${s}.renewal_reminders
    WHERE due_at <= $1 AND NOT is_done AND test_clock_id IS NULL ORDER BY due_at LIMIT $2`,
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
      return taken.rowCount === 1;
    },
  };
}

/** The reminders that workers send. */
export function reminderQueue(session: Session): ReminderQueue {
  const read = async (by: Statement, values: readonly unknown[]): Promise<readonly Reminder[]> =>
    (await session.query<ReminderRow>(by, [...values])).rows.map(toReminder);
  return {
    findDue: (now, limit) => read(findDue, [now, limit]),
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
