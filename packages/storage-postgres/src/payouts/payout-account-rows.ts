import type { AccountId } from '@paymount/core/kernel';
import type { PayoutAccount, PayoutAccountRepository } from '@paymount/core/payments';
import { type Statement, statement } from '../connection/statement.ts';
import { json } from '../shared/columns.ts';
import type { Session } from '../transaction/session.ts';
import { type ScheduleJson, toSchedule } from './schedule-json.ts';

interface PayoutAccountRow {
  readonly id: AccountId;
  readonly name: string;
  readonly email: string | null;
  readonly country: string;
  readonly default_currency: string;
  readonly suspended_at: Date | null;
  readonly payouts_enabled: boolean;
  readonly holds_destinations: boolean;
  readonly payout_schedule: ScheduleJson;
  readonly created: Date;
}

const COLUMNS = `id, name, email, country, default_currency, suspended_at, payouts_enabled,
      holds_destinations, payout_schedule, created`;
const find = statement(
  'pm_payouts_account_v2',
  (s) => `SELECT ${COLUMNS} FROM ${s}.accounts WHERE id = $1`,
);
const findForUpdate = statement(
  'pm_payouts_lock_account_v2',
  (s) => `SELECT ${COLUMNS} FROM ${s}.accounts WHERE id = $1 FOR NO KEY UPDATE`,
);
const save = statement(
  'pm_payouts_save_account_v2',
  (s) => `UPDATE ${s}.accounts SET payouts_enabled = $2, holds_destinations = $3,
    payout_schedule = $4 WHERE id = $1`,
);

/** What payouts need to know of accounts, on PostgreSQL. */
export function payoutAccountRows(session: Session): PayoutAccountRepository {
  const read = async (by: Statement, id: AccountId) => {
    const [row] = (await session.query<PayoutAccountRow>(by, [id])).rows;
    return row && toPayoutAccount(row);
  };
  return {
    find: (id) => read(find, id),
    findForUpdate: (id) => read(findForUpdate, id),
    async save({ id, payoutsEnabled, holdsDestinations, schedule }) {
      const values = [id, payoutsEnabled, holdsDestinations, json(schedule)];
      await session.query(save, values);
    },
  };
}

function toPayoutAccount(row: PayoutAccountRow): PayoutAccount {
  const { id, name, email, country, created } = row;
  return {
    id,
    name,
    email,
    country,
    created,
    defaultCurrency: row.default_currency,
    isSuspended: row.suspended_at !== null,
    payoutsEnabled: row.payouts_enabled,
    holdsDestinations: row.holds_destinations,
    schedule: toSchedule(row.payout_schedule),
  };
}
