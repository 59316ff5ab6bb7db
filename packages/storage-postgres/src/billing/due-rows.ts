import type { DueQuery, Failing } from '@paymount/core/billing';
import {
  type AccountId,
  environmentOf,
  type Id,
  livemode,
  type Owner,
  type TestClockId,
} from '@paymount/core/kernel';
import { statement } from '../connection/statement.ts';
import { wakeSubscriptions } from '../subscriptions/wake-subscriptions.ts';
import type { Session } from '../transaction/session.ts';

interface DueRow {
  readonly account_id: AccountId;
  readonly livemode: boolean;
  readonly id: string;
  readonly next_action_at: Date;
}

interface AnyRow {
  readonly due: boolean;
  /** A customer was changed, so subscriptions may become due. */
  readonly wakes: boolean;
}

/** A row that is due. */
export interface Due<Of extends Id<string>> extends Owner {
  readonly id: Of;
  readonly nextActionAt: Date;
}

/** What is due in a table that has `next_action_at`, and an index of it by account. */
export interface DueRows<Of extends Id<string>> {
  findDue(asked: DueQuery): Promise<readonly Due<Of>[]>;
  findDueOn(clock: TestClockId, until: Date, limit: number): Promise<readonly Due<Of>[]>;
  postpone(due: Due<Of>, until: Date, failing?: Failing): Promise<void>;
  failingOf(due: Due<Of>): Promise<Failing | undefined>;
}

/**
 * How long the next statements of a transaction wait for a lock: one account must not delay the others. An expression of
 * the statement that takes what is due, which itself waits for none.
 */
export const LIMIT_LOCKS = "set_config('lock_timeout', '200', true)";

/** @param table its name, which is in the names of its statements */
export function dueRows<Of extends Id<string>>(
  session: Session,
  table: 'subscriptions' | 'invoices',
): DueRows<Of> {
  const { isAnyDue, findDue, findDueOn, postpone, failingOf } = STATEMENTS[table];
  const toDue = (row: DueRow): Due<Of> => ({
    accountId: row.account_id,
    environment: environmentOf(row.livemode),
    id: row.id as Of,
    nextActionAt: row.next_action_at,
  });
  const isAny = async (now: Date): Promise<boolean> => {
    const { rows } = await session.query<AnyRow>(isAnyDue, [now]);
    if (rows[0]?.wakes !== true) return rows[0]?.due === true;
    await wakeSubscriptions(session);
    return true;
  };
  return {
    async findDue({ now, from, limit }) {
      if (!(await isAny(now))) return [];
      const after = [from?.accountId ?? '', from !== undefined && livemode(from.environment)];
      const values = [now, ...after, limit];
      return (await session.query<DueRow>(findDue, values)).rows.map(toDue);
    },
    async findDueOn(clock, until, limit) {
      if (table === 'subscriptions') await wakeSubscriptions(session);
      return (await session.query<DueRow>(findDueOn, [clock, until, limit])).rows.map(toDue);
    },
    async postpone({ accountId, environment, id }, until, failing) {
      const why = failing === undefined ? null : JSON.stringify(failing);
      await session.query(postpone, [accountId, livemode(environment), id, until, why]);
    },
    async failingOf({ accountId, environment, id }) {
      const values = [accountId, livemode(environment), id];
      const { rows } = await session.query<{ failing: Failing | null }>(failingOf, values);
      return rows[0]?.failing ?? undefined;
    },
  };
}

const STATEMENTS = {
  subscriptions: statementsOf('subscriptions'),
  invoices: statementsOf('invoices'),
};

function statementsOf(table: 'subscriptions' | 'invoices') {
  const columns = 'account_id, livemode, id, next_action_at';
  const waiting = 'next_action_at IS NOT NULL AND test_clock_id IS NULL';
  // What was paid for a subscription that had ended is given back, whatever became of the account.
  const isAlwaysDone = table === 'invoices' ? `t.status = 'paid' AND t.is_abandoned` : 'false';
  return {
    isAnyDue: statement(
      `pm_${table}_any_due_v2`,
      (s) => `SELECT EXISTS (SELECT FROM ${s}.${table}
          WHERE next_action_at <= $1 AND test_clock_id IS NULL) AS due,
        ${table === 'subscriptions' ? `EXISTS (SELECT FROM ${s}.subscription_wakes)` : 'false'} AS wakes`,
    ),
    // From account to account, each by one look at the index; then what is due of each, as many of one account
    // as of another, so that no account waits until the others are done. Nothing is charged for an account
    // that is suspended, and what is due meanwhile is caught up after that.
    findDue: statement(
      `pm_${table}_due_v4`,
      (s) => `WITH RECURSIVE owners AS (
          (SELECT account_id, livemode FROM ${s}.${table}
            WHERE ${waiting} AND (account_id, livemode) > ($2::text, $3::boolean)
            ORDER BY account_id, livemode LIMIT 1)
          UNION ALL
          SELECT n.account_id, n.livemode FROM owners o CROSS JOIN LATERAL (
            SELECT account_id, livemode FROM ${s}.${table}
            WHERE ${waiting} AND (account_id, livemode) > (o.account_id, o.livemode)
            ORDER BY account_id, livemode LIMIT 1) n),
        waiting AS MATERIALIZED (
          SELECT o.account_id, o.livemode, a.charges_per_second, a.status = 'active' AS is_active
          FROM owners o JOIN ${s}.accounts a ON a.id = o.account_id
          WHERE EXISTS (SELECT FROM ${s}.${table} t
            WHERE (t.account_id, t.livemode) = (o.account_id, o.livemode)
              AND next_action_at <= $1 AND test_clock_id IS NULL
              AND (a.status = 'active' OR ${isAlwaysDone}))
          LIMIT $4)
        SELECT d.* FROM (SELECT *, $4 / count(*) OVER () AS share FROM waiting) w
        CROSS JOIN LATERAL (
          SELECT ${columns} FROM ${s}.${table} t
          WHERE (t.account_id, t.livemode) = (w.account_id, w.livemode)
            AND next_action_at <= $1 AND test_clock_id IS NULL AND (w.is_active OR ${isAlwaysDone})
          ORDER BY next_action_at, id LIMIT least(w.charges_per_second, w.share)) d`,
    ),
    findDueOn: statement(
      `pm_${table}_due_on_v2`,
      (s) => `SELECT ${columns} FROM ${s}.${table}
        WHERE test_clock_id = $1 AND next_action_at <= $2 ORDER BY next_action_at, id LIMIT $3`,
    ),
    failingOf: statement(
      `pm_${table}_failing_v1`,
      (s) => `SELECT failing FROM ${s}.${table}
        WHERE account_id = $1 AND livemode = $2 AND id = $3`,
    ),
    postpone: statement(
      `pm_${table}_postpone_v2`,
      (s) => `UPDATE ${s}.${table} t SET next_action_at = $4,
          failing = coalesce($5::jsonb || jsonb_build_object('since', coalesce(t.failing ->> 'since', $5::jsonb ->> 'since')), t.failing)
        FROM (SELECT id FROM ${s}.${table}
          WHERE account_id = $1 AND livemode = $2 AND id = $3 AND next_action_at < $4
          FOR NO KEY UPDATE SKIP LOCKED) due
        WHERE account_id = $1 AND livemode = $2 AND t.id = due.id`,
    ),
  };
}
