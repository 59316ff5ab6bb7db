import type { Migration } from './migration.ts';

export const replays: Migration = {
  name: '0009-replays',
  breaking: false,
  sql: (s) => `
CREATE TABLE ${s}.replays (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES ${s}.accounts,
  livemode boolean NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'running', 'completed', 'canceled')),
  endpoint_id text COLLATE "C",
  to_endpoint_id text COLLATE "C",
  types text[],
  states text[],
  created_gt timestamptz,
  created_gte timestamptz,
  created_lt timestamptz,
  created_lte timestamptz,
  rate integer NOT NULL CHECK (rate BETWEEN 1 AND 1000),
  dry_run boolean NOT NULL,
  -- Both bound what it takes: an id alone would not where the clocks of two machines differ.
  through_event_id text COLLATE "C",
  recorded_until timestamptz NOT NULL DEFAULT now(),
  matched bigint NOT NULL,
  counting boolean NOT NULL,
  created_count bigint NOT NULL,
  -- Whether a worker has anything left to do: a canceled one waits for attempts that run.
  is_open boolean NOT NULL,
  stepped_at timestamptz,
  looked_at timestamptz,
  created timestamptz NOT NULL,
  finished_at timestamptz,
  UNIQUE (account_id, livemode, id),
  FOREIGN KEY (account_id, livemode, endpoint_id)
    REFERENCES ${s}.webhook_endpoints (account_id, livemode, id),
  FOREIGN KEY (account_id, livemode, to_endpoint_id)
    REFERENCES ${s}.webhook_endpoints (account_id, livemode, id),
  CONSTRAINT replays_state CHECK (
    (finished_at IS NULL) = (status IN ('pending', 'running'))
    AND (is_open OR finished_at IS NOT NULL) AND NOT (is_open AND status = 'completed')
    AND NOT (dry_run AND created_count > 0) AND NOT (counting AND finished_at IS NOT NULL))
) WITH (fillfactor = 80);
CREATE INDEX replays_open ON ${s}.replays (account_id, livemode) WHERE is_open;

CREATE TABLE ${s}.replay_targets (
  replay_id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  livemode boolean NOT NULL,
  endpoint_id text COLLATE "C" NOT NULL,
  types text[],
  -- Events: '' before the first, '~' past the last.
  counted_to text COLLATE "C" NOT NULL,
  sent_to text COLLATE "C" NOT NULL,
  PRIMARY KEY (replay_id, endpoint_id),
  FOREIGN KEY (account_id, livemode, replay_id)
    REFERENCES ${s}.replays (account_id, livemode, id),
  FOREIGN KEY (account_id, livemode, endpoint_id)
    REFERENCES ${s}.webhook_endpoints (account_id, livemode, id)
) WITH (fillfactor = 80);
`,
};
