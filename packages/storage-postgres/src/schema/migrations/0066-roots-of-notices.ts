import type { Migration } from './migration.ts';

export const rootsOfNotices: Migration = {
  name: '0066-roots-of-notices',
  breaking: false,
  sql: (s) => `
-- The object whose row is locked to apply a notice: an authorization and its capture have one. Null until
-- that is found, and if an earlier version tried the notice last.
ALTER TABLE ${s}.notices ADD COLUMN root_id text COLLATE "C";
`,
};
