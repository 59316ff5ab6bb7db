import type { Migration } from './migration.ts';

export const operationsOfCaptures: Migration = {
  name: '0050-operations-of-captures',
  breaking: false,
  sql: (s) => `
-- A settlement line may name the authorization, and the fee came with its capture. Most charges have none.
CREATE INDEX operations_of_captures ON ${s}.operations (account_id, livemode, charge_id)
  WHERE kind IN ('capture', 'cancel');
`,
};
