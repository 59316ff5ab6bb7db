import type { Migration } from './migration.ts';

export const expungedEvents: Migration = {
  name: '0024-expunged-events',
  breaking: false,
  sql: (s) => `
ALTER TABLE ${s}.events
  ALTER COLUMN body DROP NOT NULL,
  ADD COLUMN expunged_at timestamptz,
  -- Not validated: every event so far has a body and is not expunged.
  ADD CONSTRAINT events_body CHECK ((body IS NULL) = (expunged_at IS NOT NULL)) NOT VALID;
-- Replays count the expunged events that they pass over. Recording an event does not write this.
CREATE INDEX events_expunged ON ${s}.events (account_id, livemode, id)
  WHERE expunged_at IS NOT NULL;
ALTER TABLE ${s}.replays ADD COLUMN skipped bigint NOT NULL DEFAULT 0;

CREATE TABLE ${s}.expunge_requests (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES ${s}.accounts,
  livemode boolean NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'running', 'succeeded', 'failed')),
  event_ids text[],
  object_id text COLLATE "C",
  created_gt timestamptz,
  created_gte timestamptz,
  created_lt timestamptz,
  created_lte timestamptz,
  reason text NOT NULL,
  recorded_until timestamptz NOT NULL DEFAULT now(),
  -- The last event that was read, in the order of an index.
  position_type text COLLATE "C",
  position_created timestamptz,
  position_event_id text COLLATE "C",
  expunged_events bigint NOT NULL,
  canceled_deliveries bigint NOT NULL,
  expunged_attempts bigint NOT NULL,
  looked_at timestamptz,
  created timestamptz NOT NULL,
  started_at timestamptz,
  finished_at timestamptz,
  failure text,
  UNIQUE (account_id, livemode, id),
  CONSTRAINT expunge_requests_selection CHECK (COALESCE(event_ids::text, object_id,
    created_gt::text, created_gte::text, created_lt::text, created_lte::text) IS NOT NULL),
  CONSTRAINT expunge_requests_state CHECK (
    (finished_at IS NOT NULL) = (status IN ('succeeded', 'failed'))
    AND (failure IS NOT NULL) = (status = 'failed')
    AND (started_at IS NOT NULL OR status IN ('pending', 'failed')))
) WITH (fillfactor = 80);
CREATE INDEX expunge_requests_open ON ${s}.expunge_requests (looked_at NULLS FIRST, id)
  WHERE finished_at IS NULL;
`,
};
