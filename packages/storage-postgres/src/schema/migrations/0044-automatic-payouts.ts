import type { Migration } from './migration.ts';

export const automaticPayouts: Migration = {
  name: '0044-automatic-payouts',
  breaking: false,
  sql: (s) => `
-- The due moment of the schedule that made a payout. However many workers make it, it is made once.
ALTER TABLE ${s}.payouts ADD COLUMN period timestamptz,
  ADD CONSTRAINT payouts_automatic CHECK (automatic = (period IS NOT NULL));
CREATE UNIQUE INDEX payouts_once_per_period
  ON ${s}.payouts (account_id, livemode, currency, period) WHERE period IS NOT NULL;

-- The automatic payout that contains a balance transaction. Old rows are in none, so that nothing must
-- be checked in them.
ALTER TABLE ${s}.balance_transactions ADD COLUMN payout_id text COLLATE "C",
  ADD CONSTRAINT balance_transactions_paid_are_available
    CHECK (payout_id IS NULL OR status = 'available') NOT VALID;
CREATE INDEX balance_transactions_unpaid
  ON ${s}.balance_transactions (account_id, livemode, currency, created, id)
  WHERE status = 'available' AND payout_id IS NULL;
CREATE INDEX balance_transactions_of_payout
  ON ${s}.balance_transactions (account_id, livemode, payout_id, created, id)
  WHERE payout_id IS NOT NULL;

CREATE TABLE ${s}.payout_runs (
  account_id text COLLATE "C" NOT NULL REFERENCES ${s}.accounts,
  livemode boolean NOT NULL,
  currency text NOT NULL,
  payout_id text COLLATE "C",
  collected bigint NOT NULL DEFAULT 0,
  last_period timestamptz,
  due_at timestamptz,
  waits_for text,
  PRIMARY KEY (account_id, livemode, currency),
  CONSTRAINT payout_runs_collect_for_a_payout CHECK (payout_id IS NOT NULL OR collected = 0)
) WITH (fillfactor = 80);
CREATE INDEX payout_runs_due ON ${s}.payout_runs (due_at, account_id, livemode, currency)
  WHERE due_at IS NOT NULL;
-- Due at once: a worker computes from the schedule when it is due next.
INSERT INTO ${s}.payout_runs (account_id, livemode, currency, due_at)
SELECT account_id, livemode, currency, 'epoch' FROM ${s}.ledger_account WHERE code = 'available';
`,
};
