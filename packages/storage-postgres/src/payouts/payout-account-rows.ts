import type { AccountId } from '@paymount/core/kernel';
import type { PayoutAccount, PayoutAccountReader } from '@paymount/core/payments';
import type { Session } from '../session.ts';
import { statement } from '../shared/statement.ts';
import { type ScheduleJson, toSchedule } from './schedule-json.ts';

interface PayoutAccountRow {
  readonly id: AccountId;
  readonly name: string;
  readonly email: string | null;
  readonly country: string;
  readonly default_currency: string;
  readonly suspended_at: Date | null;
  readonly payouts_enabled: boolean;
  readonly payout_schedule: ScheduleJson;
  readonly created: Date;
}

const find = statement(
  'pm_payouts_account_v1',
  (s) => `SELECT id, name, email, country, default_currency, suspended_at, payouts_enabled,
      payout_schedule, created FROM ${s}.accounts WHERE id = $1`,
);

/** What payouts need to know of accounts, on PostgreSQL. */
export function payoutAccountRows(session: Session): PayoutAccountReader {
  return {
    async find(id) {
      const [row] = (await session.query<PayoutAccountRow>(find, [id])).rows;
      return row && toPayoutAccount(row);
    },
  };
}

function toPayoutAccount(row: PayoutAccountRow): PayoutAccount {
  const { id, name, email, country, created } = row;
  return {
    ...{ id, name, email, country, created },
    defaultCurrency: row.default_currency,
    isSuspended: row.suspended_at !== null,
    payoutsEnabled: row.payouts_enabled,
    schedule: toSchedule(row.payout_schedule),
  };
}
