import type { Migration } from './migration.ts';

export const stoppedPayouts: Migration = {
  name: '0053-stopped-payouts',
  breaking: false,
  // What the constraint that is dropped allowed, the new one allows too.
  sql: (s) => `
-- A canceled payout says why, if the operator had stopped its account.
ALTER TABLE ${s}.payouts
  DROP CONSTRAINT payouts_state,
  ADD CONSTRAINT payouts_state CHECK (
    status IN ('pending', 'in_transit', 'paid', 'failed', 'canceled')
    AND (failure_code IS NULL OR status IN ('failed', 'canceled'))
    AND (failure_code IS NOT NULL OR status <> 'failed')
    AND (status IN ('failed', 'canceled')) = (failure_balance_transaction_id IS NOT NULL)) NOT VALID;
`,
};
