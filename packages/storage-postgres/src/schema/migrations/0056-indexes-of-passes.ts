import type { Migration } from './migration.ts';

export const indexesOfPasses: Migration = {
  name: '0056-indexes-of-passes',
  breaking: false,
  sql: (s) => `
-- The daily pass compares the differences that a person has settled again, too.
CREATE INDEX settlement_differences_unresolved ON ${s}.settlement_differences (kind, id)
  WHERE state <> 'resolved';
DROP INDEX ${s}.settlement_differences_open;

-- Automatic payouts do not go over what is on test clocks, which they never collect.
CREATE INDEX balance_transactions_uncollected
  ON ${s}.balance_transactions (account_id, livemode, currency, created, id)
  WHERE status = 'available' AND payout_id IS NULL AND test_clock_id IS NULL;
DROP INDEX ${s}.balance_transactions_unpaid;
`,
};
