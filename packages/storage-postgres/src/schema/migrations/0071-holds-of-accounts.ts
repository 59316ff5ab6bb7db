import type { Migration } from './migration.ts';

/** A migration for each table, so that none is locked while another one is waited for. */
export const holdsOfAccounts: Migration = {
  name: '0071-holds-of-accounts',
  breaking: false,
  sql: (s) => `
-- Payouts to a new destination wait for a day, unless an admin turns that off for the account.
ALTER TABLE ${s}.accounts ADD COLUMN holds_destinations boolean NOT NULL DEFAULT true;
`,
};
