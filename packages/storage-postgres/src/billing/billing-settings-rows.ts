import type { BillingSettings, BillingSettingsRepository } from '@paymount/core/billing';
import type { AccountId } from '@paymount/core/kernel';
import { type Statement, statement } from '../connection/statement.ts';
import type { Session } from '../transaction/session.ts';

interface BillingSettingsRow {
  readonly id: AccountId;
  readonly after_last_attempt: BillingSettings['afterLastAttempt'];
  readonly catch_up: BillingSettings['catchUp'];
  readonly cancels_on_dispute: boolean;
  readonly charges_per_second: number;
}

const COLUMNS = 'id, after_last_attempt, catch_up, cancels_on_dispute, charges_per_second';
const find = statement(
  'pm_billing_settings_v1',
  (s) => `SELECT ${COLUMNS} FROM ${s}.accounts WHERE id = $1`,
);
const findForUpdate = statement(
  'pm_billing_settings_lock_v1',
  (s) => `SELECT ${COLUMNS} FROM ${s}.accounts WHERE id = $1 FOR NO KEY UPDATE`,
);
const save = statement(
  'pm_billing_settings_save_v1',
  (s) => `UPDATE ${s}.accounts SET after_last_attempt = $2, catch_up = $3, cancels_on_dispute = $4,
    charges_per_second = $5 WHERE id = $1`,
);

/** How the subscriptions of accounts are billed, on PostgreSQL. */
export function billingSettingsRows(session: Session): BillingSettingsRepository {
  const read = async (by: Statement, id: AccountId) => {
    const [row] = (await session.query<BillingSettingsRow>(by, [id])).rows;
    return row && toSettings(row);
  };
  return {
    find: (id) => read(find, id),
    findForUpdate: (id) => read(findForUpdate, id),
    async save({ accountId, afterLastAttempt, catchUp, cancelsOnDispute, chargesPerSecond }) {
      const values = [accountId, afterLastAttempt, catchUp, cancelsOnDispute, chargesPerSecond];
      await session.query(save, values);
    },
  };
}

function toSettings(row: BillingSettingsRow): BillingSettings {
  return {
    accountId: row.id,
    afterLastAttempt: row.after_last_attempt,
    catchUp: row.catch_up,
    cancelsOnDispute: row.cancels_on_dispute,
    chargesPerSecond: row.charges_per_second,
  };
}
