import type { Migration } from './migration.ts';

export const hookUse: Migration = {
  name: '0015-hook-use',
  breaking: false,
  sql: (s) => `
-- One row while a hook is in use: whoever has none then records no result.
CREATE TABLE ${s}.hook_use (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  since timestamptz NOT NULL
);
`,
};
