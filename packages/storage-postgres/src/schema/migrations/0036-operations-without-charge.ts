import type { Migration } from './migration.ts';

export const operationsWithoutCharge: Migration = {
  name: '0036-operations-without-charge',
  breaking: false,
  sql: (s) => `
-- A payout is for no charge.
ALTER TABLE ${s}.operations ALTER COLUMN charge_id DROP NOT NULL;
`,
};
