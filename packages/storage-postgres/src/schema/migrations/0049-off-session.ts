import type { Migration } from './migration.ts';

export const offSession: Migration = {
  name: '0049-off-session',
  breaking: false,
  sql: (s) => `
-- Whether the payer was absent, which each submission of the charge says again.
ALTER TABLE ${s}.charges ADD COLUMN off_session boolean NOT NULL DEFAULT false;
`,
};
