import type { Migration } from './migration.ts';

export const operations: Migration = {
  name: '0003-operations',
  breaking: false,
  sql: (s) => `
CREATE TABLE ${s}.operations (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  livemode boolean NOT NULL,
  version integer NOT NULL,
  kind text NOT NULL,
  subject_id text COLLATE "C" NOT NULL,
  charge_id text COLLATE "C" NOT NULL,
  processor text NOT NULL,
  attempt integer NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  state text NOT NULL
    CHECK (state IN ('created', 'sent', 'unknown', 'done', 'failed', 'quarantined')),
  deadline_at timestamptz NOT NULL,
  next_lookup_at timestamptz,
  lookups integer NOT NULL,
  not_founds integer NOT NULL,
  processor_reference text,
  outcome jsonb,
  idempotency_key text,
  request_id text NOT NULL,
  created timestamptz NOT NULL,
  PRIMARY KEY (account_id, livemode, id),
  FOREIGN KEY (account_id, livemode, charge_id) REFERENCES ${s}.charges
) WITH (fillfactor = 70);
-- Two requests for one subject never reach the processor side by side.
CREATE UNIQUE INDEX operations_one_unresolved ON ${s}.operations (subject_id)
  WHERE state IN ('created', 'sent', 'unknown', 'quarantined');
CREATE INDEX operations_due ON ${s}.operations ((COALESCE(next_lookup_at, deadline_at)))
  WHERE state IN ('created', 'sent', 'unknown');

CREATE INDEX operations_of_charge ON ${s}.operations (charge_id)
  WHERE state IN ('created', 'sent', 'unknown', 'quarantined');

CREATE TABLE ${s}.sandbox_operations (
  operation_id text COLLATE "C" PRIMARY KEY,
  record text NOT NULL,
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE ${s}.idempotency_keys (
  account_id text COLLATE "C" NOT NULL,
  livemode boolean NOT NULL,
  key text COLLATE "C" NOT NULL,
  fingerprint text NOT NULL,
  request_id text NOT NULL,
  operation_id text COLLATE "C",
  locked_until timestamptz,
  status smallint,
  body text,
  kid text COLLATE "C",
  created timestamptz NOT NULL,
  PRIMARY KEY (account_id, livemode, key),
  CONSTRAINT idempotency_keys_state CHECK ((status IS NULL) = (locked_until IS NOT NULL)
    AND (status IS NULL) = (body IS NULL) AND (status IS NOT NULL OR kid IS NULL))
) WITH (fillfactor = 50, toast_tuple_target = 8160);
-- Rows come in order of time, so a range per 128 pages is enough to purge by age.
CREATE INDEX idempotency_keys_created ON ${s}.idempotency_keys USING brin (created);
-- Few answers show a secret; rewrapping finds them here.
CREATE INDEX idempotency_keys_sealed ON ${s}.idempotency_keys (kid, account_id, livemode, key)
  WHERE kid IS NOT NULL;

-- Secrets that every process of the installation shares, made at the first start.
CREATE TABLE ${s}.installation_secrets (
  name text COLLATE "C" PRIMARY KEY,
  sealed text NOT NULL,
  kid text COLLATE "C" NOT NULL,
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
`,
};
