import type { Migration } from './migration.ts';

export const waitsOfTestClocks: Migration = {
  name: '0049-waits-of-test-clocks',
  breaking: false,
  sql: (s) => `
ALTER TABLE ${s}.test_clocks ADD COLUMN review_since timestamptz;
`,
};
