import {
  type AccountId,
  environmentOf,
  livemode,
  type Owner,
  type PayoutId,
} from '@paymount/core/kernel';
import type { PayoutObstacle, PayoutRun, PayoutRunRepository } from '@paymount/core/payments';
import { statement } from '../connection/statement.ts';
import { present } from '../shared/present-rows.ts';
import type { Session } from '../transaction/session.ts';

interface RunRow {
  readonly account_id: AccountId;
  readonly livemode: boolean;
  readonly currency: string;
  readonly payout_id: PayoutId | null;
  readonly collected: bigint;
  readonly last_period: Date | null;
  readonly due_at: Date | null;
  readonly waits_for: PayoutObstacle | null;
}

const COLUMNS =
  'account_id, livemode, currency, payout_id, collected, last_period, due_at, waits_for';
const OWNED = 'account_id = $1 AND livemode = $2 AND currency = $3';

/** Until the end of the transaction. A run that waits longer is tried again in the next pass. */
const LOCK_LIMIT = 'SET LOCAL lock_timeout = 200';

const listOf = statement(
  'pm_payout_runs_list_v1',
  (s) => `SELECT ${COLUMNS} FROM ${s}.payout_runs WHERE account_id = $1
    ORDER BY livemode DESC, currency`,
);
const takeDue = statement(
  'pm_payout_runs_take_v1',
  (s) => `SELECT ${COLUMNS} FROM ${s}.payout_runs WHERE due_at <= $1
    ORDER BY due_at, account_id, livemode, currency LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`,
);
const takeDueAfter = statement(
  'pm_payout_runs_take_after_v1',
  (s) => `SELECT ${COLUMNS} FROM ${s}.payout_runs WHERE due_at <= $1
      AND (due_at, account_id, livemode, currency) > ($2, $3, $4, $5)
    ORDER BY due_at, account_id, livemode, currency LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`,
);
const save = statement(
  'pm_payout_runs_save_v1',
  (s) => `UPDATE ${s}.payout_runs SET payout_id = $4, collected = $5, last_period = $6, due_at = $7,
      waits_for = $8 WHERE ${OWNED}`,
);
const wake = statement(
  'pm_payout_runs_wake_v1',
  (s) => `UPDATE ${s}.payout_runs SET due_at = $2 WHERE account_id = $1`,
);
const wakeOne = statement(
  'pm_payout_runs_wake_one_v1',
  (s) => `UPDATE ${s}.payout_runs SET due_at = $4 WHERE ${OWNED}`,
);
const awaitsFunds = statement(
  'pm_payout_runs_awaits_funds_v1',
  (s) => `SELECT EXISTS (SELECT FROM ${s}.balance_transactions
    WHERE ${OWNED} AND status = 'pending' AND available_on <= $4 AND test_clock_id IS NULL) AS awaits`,
);
const collect = statement(
  'pm_payout_runs_collect_v2',
  (s) => `WITH due AS (SELECT id FROM ${s}.balance_transactions
      WHERE ${OWNED} AND status = 'available' AND payout_id IS NULL
        AND (type NOT IN ('charge', 'payment') OR created <= $5) AND test_clock_id IS NULL
      ORDER BY created, id LIMIT $6 FOR NO KEY UPDATE),
    marked AS (UPDATE ${s}.balance_transactions b SET payout_id = $4 FROM due
      WHERE b.account_id = $1 AND b.livemode = $2 AND b.id = due.id RETURNING b.amount - b.fee AS net)
    SELECT count(*)::integer AS count, COALESCE(sum(net), 0)::bigint AS net FROM marked`,
);

/** The automatic payouts of accounts, on PostgreSQL. */
export function payoutRunRows(session: Session): PayoutRunRepository {
  return {
    async listOf(accountId) {
      return (await session.query<RunRow>(listOf, [accountId])).rows.map(toRun);
    },
    async takeDue(now, after) {
      await session.plain(LOCK_LIMIT);
      const { rows } =
        after?.dueAt === undefined
          ? await session.query<RunRow>(takeDue, [now])
          : await session.query<RunRow>(takeDueAfter, [now, after.dueAt, ...keyOf(after)]);
      const [row] = rows;
      return row && toRun(row);
    },
    async awaitsFunds(run, now) {
      const values = [...keyOf(run), now];
      const { rows } = await session.query<{ awaits: boolean }>(awaitsFunds, values);
      return rows[0]?.awaits === true;
    },
    async save(run) {
      const { payoutId, collected, lastPeriod, dueAt, waitsFor } = run;
      const values = [payoutId, collected, lastPeriod, dueAt, waitsFor];
      await session.query(save, [...keyOf(run), ...values.map((value) => value ?? null)]);
    },
    async collect(run, { payoutId, before, limit }) {
      const values = [...keyOf(run), payoutId, before, limit];
      const { rows } = await session.query<{ count: number; net: bigint }>(collect, values);
      return rows[0] ?? { count: 0, net: 0n };
    },
    async wake(accountId, now, only) {
      if (only === undefined) await session.query(wake, [accountId, now]);
      else await session.query(wakeOne, [...keyOf({ accountId, ...only }), now]);
    },
  };
}

function keyOf({
  accountId,
  environment,
  currency,
}: Owner & Pick<PayoutRun, 'currency'>): readonly [AccountId, boolean, string] {
  return [accountId, livemode(environment), currency];
}

function toRun(row: RunRow): PayoutRun {
  return {
    accountId: row.account_id,
    environment: environmentOf(row.livemode),
    currency: row.currency,
    collected: row.collected,
    ...present({
      payoutId: row.payout_id,
      lastPeriod: row.last_period,
      dueAt: row.due_at,
      waitsFor: row.waits_for,
    }),
  };
}
