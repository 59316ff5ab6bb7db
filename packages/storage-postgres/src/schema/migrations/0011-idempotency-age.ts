import type { Migration } from './migration.ts';

export const idempotencyAge: Migration = {
  name: '0011-idempotency-age',
  breaking: false,
  sql: (s) => `
-- Ranges of pages do not help a purge: its freed pages take new rows, so old and new share ranges.
DROP INDEX ${s}.idempotency_keys_created;
CREATE INDEX idempotency_keys_created ON ${s}.idempotency_keys (created);
`,
};
