import type { Migration } from './migration.ts';

export const purges: Migration = {
  name: '0025-purges',
  breaking: false,
  sql: (s) => `
-- One row for each table whose rows are exported, or counted by others.
CREATE TABLE ${s}.purges (
  table_name text COLLATE "C" PRIMARY KEY,
  -- Rows that were created before it may be missing.
  created_before timestamptz,
  -- Of the worker that exports rows before it deletes them.
  lease_token text,
  lease_until timestamptz
);
`,
};
