import type { Migration } from './migration.ts';

export const events: Migration = {
  name: '0005-events',
  breaking: false,
  sql: (s) => `
CREATE TABLE ${s}.webhook_endpoints (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES ${s}.accounts,
  livemode boolean NOT NULL,
  version integer NOT NULL,
  url text NOT NULL CHECK (length(url) <= 2048),
  enabled_events text[] NOT NULL,
  description text,
  metadata jsonb NOT NULL,
  api_version text NOT NULL,
  status text NOT NULL CHECK (status IN ('enabled', 'disabled', 'deleted')),
  disabled_reason text,
  disabled_at timestamptz,
  secret_version integer NOT NULL,
  created timestamptz NOT NULL,
  UNIQUE (account_id, livemode, id)
) WITH (fillfactor = 80);

CREATE TABLE ${s}.endpoint_secrets (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  livemode boolean NOT NULL,
  endpoint_id text COLLATE "C" NOT NULL,
  sealed text NOT NULL,
  kid text COLLATE "C" NOT NULL,
  last4 text NOT NULL,
  hash bytea NOT NULL CHECK (octet_length(hash) = 32),
  created timestamptz NOT NULL,
  expires_at timestamptz,
  FOREIGN KEY (account_id, livemode, endpoint_id)
    REFERENCES ${s}.webhook_endpoints (account_id, livemode, id)
);
CREATE INDEX endpoint_secrets_of_endpoint ON ${s}.endpoint_secrets (endpoint_id);
CREATE INDEX endpoint_secrets_sealed ON ${s}.endpoint_secrets (kid, id);
CREATE INDEX endpoint_secrets_hash ON ${s}.endpoint_secrets USING hash (hash);

CREATE TABLE ${s}.events (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  livemode boolean NOT NULL,
  type text COLLATE "C" NOT NULL,
  api_version text NOT NULL,
  created timestamptz NOT NULL,
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  object_id text COLLATE "C" NOT NULL,
  object_version bigint NOT NULL,
  body text NOT NULL,
  source text NOT NULL,
  request_id text,
  PRIMARY KEY (account_id, livemode, id),
  UNIQUE (account_id, livemode, object_id, type, object_version)
) WITH (toast_tuple_target = 8160);
CREATE INDEX events_by_type ON ${s}.events (account_id, livemode, type, id);

CREATE TABLE ${s}.deliveries (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  livemode boolean NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  endpoint_id text COLLATE "C" NOT NULL,
  event_type text COLLATE "C" NOT NULL,
  origin text NOT NULL,
  state text NOT NULL,
  attempt smallint NOT NULL,
  due_at timestamptz NOT NULL,
  leased_at timestamptz,
  lease_until timestamptz,
  lease_token text,
  send_errors smallint NOT NULL DEFAULT 0,
  last_status smallint,
  last_error text,
  created timestamptz NOT NULL,
  finished_at timestamptz,
  -- No foreign key, whose trigger would run for each fresh delivery too.
  replay_id text COLLATE "C",
  FOREIGN KEY (account_id, livemode, event_id) REFERENCES ${s}.events,
  FOREIGN KEY (account_id, livemode, endpoint_id)
    REFERENCES ${s}.webhook_endpoints (account_id, livemode, id),
  CONSTRAINT deliveries_state CHECK (attempt BETWEEN 1 AND 8
    AND state IN ('pending', 'succeeded', 'failed', 'parked', 'canceled', 'skipped')
    AND (finished_at IS NULL) = (state IN ('pending', 'parked'))
    AND (lease_token IS NULL) = (lease_until IS NULL)),
  CONSTRAINT deliveries_replay CHECK (replay_id IS NULL OR origin = 'replay')
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01);
CREATE UNIQUE INDEX deliveries_one_per_endpoint ON ${s}.deliveries (event_id, endpoint_id)
  WHERE origin = 'event';
CREATE INDEX deliveries_pending_of_endpoint ON ${s}.deliveries (endpoint_id, due_at)
  WHERE state = 'pending' AND origin = 'event';
CREATE INDEX deliveries_due ON ${s}.deliveries (due_at)
  WHERE state = 'pending' AND origin = 'event';
CREATE INDEX deliveries_parked ON ${s}.deliveries (endpoint_id) WHERE state = 'parked';
-- Replays have indexes of their own: fresh deliveries write none of these, and a claim of fresh ones
-- never steps over replays, however many wait.
CREATE INDEX deliveries_pending_replays ON ${s}.deliveries (endpoint_id, due_at)
  WHERE state = 'pending' AND origin = 'replay';
CREATE INDEX deliveries_due_replays ON ${s}.deliveries (due_at)
  WHERE state = 'pending' AND origin = 'replay';
CREATE INDEX deliveries_unfinished_replays ON ${s}.deliveries (endpoint_id, replay_id)
  WHERE origin = 'replay' AND state IN ('pending', 'parked');
CREATE INDEX deliveries_replayed ON ${s}.deliveries (event_id, endpoint_id)
  WHERE origin = 'replay';
CREATE UNIQUE INDEX deliveries_once_per_replay
  ON ${s}.deliveries (replay_id, event_id, endpoint_id) WHERE replay_id IS NOT NULL;
CREATE INDEX deliveries_of_replay ON ${s}.deliveries (replay_id, id) INCLUDE (state)
  WHERE replay_id IS NOT NULL;

-- No foreign keys, so that dropping a day locks nothing else.
CREATE TABLE ${s}.delivery_attempts (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  livemode boolean NOT NULL,
  delivery_id text COLLATE "C" NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  event_type text COLLATE "C" NOT NULL,
  endpoint_id text COLLATE "C" NOT NULL,
  attempt smallint NOT NULL,
  outcome text NOT NULL CHECK (outcome IN ('succeeded', 'failed', 'unknown', 'superseded')),
  error_code text,
  error_detail text,
  url text NOT NULL,
  remote_address inet,
  request_headers jsonb NOT NULL,
  response_status smallint,
  response_headers jsonb,
  response_body bytea,
  response_truncated boolean NOT NULL,
  started_at timestamptz NOT NULL,
  duration_ms integer NOT NULL,
  dns_ms integer,
  connect_ms integer,
  tls_ms integer,
  wait_ms integer,
  reused_connection boolean NOT NULL,
  redialed boolean NOT NULL,
  PRIMARY KEY (started_at, id)
) PARTITION BY RANGE (started_at);
CREATE INDEX delivery_attempts_of_delivery ON ${s}.delivery_attempts (delivery_id, attempt);
CREATE INDEX delivery_attempts_of_endpoint ON ${s}.delivery_attempts (endpoint_id, started_at);
CREATE INDEX delivery_attempts_of_event ON ${s}.delivery_attempts (event_id);
`,
};
