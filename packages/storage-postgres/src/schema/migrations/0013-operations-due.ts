import type { Migration } from './migration.ts';

export const operationsDue: Migration = {
  name: '0013-operations-due',
  breaking: false,
  // Each environment's processor is asked at its own pace, however much the other one has due.
  sql: (s) => `
CREATE INDEX operations_due_in_environment
  ON ${s}.operations (livemode, (COALESCE(next_lookup_at, deadline_at)))
  WHERE state IN ('created', 'sent', 'unknown');
DROP INDEX ${s}.operations_due;
`,
};
