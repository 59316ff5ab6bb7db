import type { Migration } from './migration.ts';

export const accounts: Migration = {
  name: '0001-accounts',
  breaking: false,
  sql: (s) => `
CREATE TABLE ${s}.accounts (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  email text,
  country text NOT NULL CHECK (length(country) = 2),
  default_currency text NOT NULL CHECK (length(default_currency) = 3),
  status text NOT NULL CHECK (status IN ('active', 'suspended')),
  suspended_at timestamptz,
  version integer NOT NULL,
  created timestamptz NOT NULL,
  CHECK ((status = 'suspended') = (suspended_at IS NOT NULL))
);

CREATE TABLE ${s}.api_keys (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES ${s}.accounts,
  livemode boolean NOT NULL,
  type text NOT NULL CHECK (type IN ('secret', 'publishable', 'restricted')),
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  hash bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
  public_value text,
  redacted text NOT NULL,
  scopes text[],
  allowed_ips cidr[] CHECK (cardinality(allowed_ips) BETWEEN 1 AND 100),
  status text NOT NULL CHECK (status IN ('active', 'revoked')),
  revoked_at timestamptz,
  revoked_reason text CHECK (revoked_reason IN ('owner', 'rotation', 'leak', 'admin', 'account')),
  expires_at timestamptz,
  ended_at timestamptz,
  replaces text COLLATE "C" UNIQUE REFERENCES ${s}.api_keys,
  replaced_by text COLLATE "C" REFERENCES ${s}.api_keys,
  replaced_at timestamptz,
  version integer NOT NULL,
  created timestamptz NOT NULL,
  created_by text NOT NULL,
  CHECK (allowed_ips IS NULL OR type <> 'publishable'),
  CHECK ((replaced_by IS NOT NULL) = (replaced_at IS NOT NULL)),
  CHECK ((public_value IS NOT NULL) = (type = 'publishable')),
  CHECK ((scopes IS NOT NULL) = (type = 'restricted')),
  CHECK ((status = 'revoked') = (revoked_at IS NOT NULL)),
  CHECK ((status = 'revoked') = (revoked_reason IS NOT NULL))
);
CREATE INDEX api_keys_of_account ON ${s}.api_keys (account_id, livemode, id);

-- The generation counter that fences every key cache: one row, written last in each change of access.
CREATE TABLE ${s}.auth_epoch (
  id integer PRIMARY KEY CHECK (id = 1),
  gen bigint NOT NULL,
  mark uuid NOT NULL
);
CREATE TABLE ${s}.auth_change (
  gen bigint PRIMARY KEY,
  mark uuid NOT NULL,
  subjects text[] NOT NULL,
  created timestamptz NOT NULL DEFAULT clock_timestamp()
);
WITH first AS (
  INSERT INTO ${s}.auth_epoch (id, gen, mark) VALUES (1, 1, gen_random_uuid()) RETURNING gen, mark
)
INSERT INTO ${s}.auth_change (gen, mark, subjects) SELECT gen, mark, '{}' FROM first;
`,
};
