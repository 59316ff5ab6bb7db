import type { Migration } from './migration.ts';

export const pendingByTime: Migration = {
  name: '0017-pending-by-time',
  breaking: false,
  sql: (s) => `
-- Attempts are counted from 1, so the condition is true of every row. Only statements that name it
-- can use these indexes; the others stay with those of an endpoint.
DROP INDEX ${s}.deliveries_due;
DROP INDEX ${s}.deliveries_due_replays;
CREATE INDEX deliveries_due ON ${s}.deliveries (due_at)
  WHERE state = 'pending' AND origin = 'event' AND attempt > 0;
CREATE INDEX deliveries_due_replays ON ${s}.deliveries (due_at)
  WHERE state = 'pending' AND origin = 'replay' AND attempt > 0;
`,
};
