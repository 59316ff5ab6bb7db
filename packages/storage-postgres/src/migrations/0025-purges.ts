import type { Migration } from './migration.ts';

export const purges: Migration = {
  name: '0025-purges',
  breaking: false,
  sql: (s) => `
-- One row for each table from which rows were deleted that others count.
CREATE TABLE ${s}.purges (
  table_name text COLLATE "C" PRIMARY KEY,
  -- Rows that were created before it may be missing.
  created_before timestamptz NOT NULL
);
`,
};
