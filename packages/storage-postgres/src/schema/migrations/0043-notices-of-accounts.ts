import type { Migration } from './migration.ts';

export const noticesOfAccounts: Migration = {
  name: '0043-notices-of-accounts',
  breaking: false,
  sql: (s) => `
-- Notices are kept for ever: the lists of a quiet account, or of a rare state, must not read all.
CREATE INDEX notices_of_account ON ${s}.notices (account_id, id) WHERE account_id IS NOT NULL;
CREATE INDEX notices_by_state ON ${s}.notices (state, id);
`,
};
