import type { Migration } from './migration.ts';

export const attemptIndexes: Migration = {
  name: '0022-attempt-indexes',
  breaking: false,
  sql: (s) => `
-- No statement reads attempts by endpoint or by event: lists find deliveries, and each shows its
-- attempts. Every attempt wrote both.
DROP INDEX ${s}.delivery_attempts_of_endpoint;
DROP INDEX ${s}.delivery_attempts_of_event;
`,
};
