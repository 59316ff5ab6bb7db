import type { Migration } from './migration.ts';

export const ledgerTail: Migration = {
  name: '0010-ledger-tail',
  breaking: false,
  sql: (s) => `
-- Credits above zero, debits below, as the balance counts them. A limited ledger account's balance
-- is its column plus the sum of these rows, which are folded into the column now and then. So a
-- posting adds a row of its own, and never waits for the row of a busy merchant.
CREATE TABLE ${s}.ledger_tail (
  ledger_account_id bigint NOT NULL,
  amount bigint NOT NULL CHECK (amount <> 0)
);
CREATE INDEX ledger_tail_of_account ON ${s}.ledger_tail (ledger_account_id) INCLUDE (amount);
`,
};
