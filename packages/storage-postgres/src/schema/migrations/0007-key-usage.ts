import type { Migration } from './migration.ts';

export const keyUsage: Migration = {
  name: '0007-key-usage',
  breaking: false,
  sql: (s) => `
-- Written behind the requests, at most 10 s late. No foreign keys: use is noted, not judged, and
-- one row that does not fit must not stop the others.
CREATE TABLE ${s}.key_usage (
  key_id text COLLATE "C" PRIMARY KEY,
  last_used_at timestamptz NOT NULL,
  last_ip inet,
  last_user_agent text CHECK (length(last_user_agent) <= 256)
) WITH (fillfactor = 50);

CREATE TABLE ${s}.key_usage_hourly (
  key_id text COLLATE "C" NOT NULL,
  hour timestamptz NOT NULL,
  succeeded bigint NOT NULL,
  refused bigint NOT NULL,
  rate_limited bigint NOT NULL,
  failed bigint NOT NULL,
  PRIMARY KEY (key_id, hour)
) WITH (fillfactor = 80);
CREATE INDEX key_usage_hourly_by_age ON ${s}.key_usage_hourly (hour);

-- No index on last_seen_at: every flush moves it, and the purge may read the whole table.
CREATE TABLE ${s}.key_addresses (
  key_id text COLLATE "C" NOT NULL,
  address inet NOT NULL,
  requests bigint NOT NULL,
  last_seen_at timestamptz NOT NULL,
  PRIMARY KEY (key_id, address)
) WITH (fillfactor = 80);
`,
};
