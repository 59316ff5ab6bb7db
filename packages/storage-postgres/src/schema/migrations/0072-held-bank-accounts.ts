import type { Migration } from './migration.ts';

export const heldBankAccounts: Migration = {
  name: '0072-held-bank-accounts',
  breaking: false,
  sql: (s) => `
ALTER TABLE ${s}.bank_accounts ADD COLUMN held_until timestamptz;
`,
};
