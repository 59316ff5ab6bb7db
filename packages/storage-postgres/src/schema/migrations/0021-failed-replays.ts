import type { Migration } from './migration.ts';

export const failedReplays: Migration = {
  name: '0021-failed-replays',
  breaking: false,
  sql: (s) => `
ALTER TABLE ${s}.replays
  ADD COLUMN failure text,
  DROP CONSTRAINT replays_status_check,
  ADD CONSTRAINT replays_status_check
    CHECK (status IN ('pending', 'running', 'completed', 'canceled', 'failed')),
  -- A failed one may be canceled, to cancel what it made.
  ADD CONSTRAINT replays_failure CHECK (status <> 'failed' OR failure IS NOT NULL);
-- Events that an endpoint has not received, in the order of their list. The last condition is true of
-- every row: statements of the engine do not name it, so that no plan of theirs can use this index.
CREATE INDEX deliveries_undelivered
  ON ${s}.deliveries (account_id, livemode, event_type, created, event_id)
  WHERE origin = 'event' AND state <> 'succeeded' AND event_id > '';
`,
};
