import type { Migration } from './migration.ts';

export const promisesOfDeletedClocks: Migration = {
  name: '0058-promises-of-deleted-clocks',
  breaking: false,
  sql: (s) => `
-- What stayed pending on a deleted test clock could be promised beyond the year 9999, which no process
-- reads: the resolver failed with all that it had claimed together with it.
UPDATE ${s}.operations SET expected_by = '9999-01-01T00:00:00Z'
  WHERE state IN ('created', 'sent', 'unknown') AND expected_by >= '10000-01-01T00:00:00Z';
`,
};
