import type { Migration } from './migration.ts';

export const waitsOfTestClocks: Migration = {
  name: '0052-waits-of-test-clocks',
  breaking: false,
  sql: (s) => `
ALTER TABLE ${s}.test_clocks ADD COLUMN review_since timestamptz;
-- A later migration fills and indexes it, so that the lock of this one is short.
ALTER TABLE ${s}.operations ADD COLUMN test_clock_id text COLLATE "C";
`,
};
