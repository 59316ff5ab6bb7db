import type { Migration } from './migration.ts';

export const deliveryCounts: Migration = {
  name: '0023-delivery-counts',
  breaking: false,
  sql: (s) => `
-- Attempts of the log by hour, and by day, which are sums of hours. Workers count hours as a whole
-- and replace rows whose number has grown, so that counting twice changes nothing.
CREATE TABLE ${s}.delivery_counts (
  endpoint_id text COLLATE "C" NOT NULL,
  "interval" text COLLATE "C" NOT NULL CHECK ("interval" IN ('hour', 'day')),
  starts_at timestamptz NOT NULL,
  event_type text COLLATE "C" NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  -- Empty and 0 if there was none.
  error text COLLATE "C" NOT NULL,
  status_class smallint NOT NULL,
  attempts bigint NOT NULL CHECK (attempts > 0),
  ended bigint NOT NULL,
  duration_ms bigint NOT NULL,
  PRIMARY KEY (endpoint_id, "interval", starts_at, event_type, outcome, error, status_class)
) WITH (fillfactor = 70);
-- The condition is true of every row. Only statements that name it can use this index; searches
-- within one endpoint stay with the primary key.
CREATE INDEX delivery_counts_by_time ON ${s}.delivery_counts ("interval", starts_at)
  WHERE attempts > 0;
-- Which hours of the log have been counted, how many attempts they had, and when.
CREATE TABLE ${s}.counted_hours (
  hour timestamptz PRIMARY KEY,
  attempts bigint NOT NULL,
  counted_at timestamptz NOT NULL
);
`,
};
