import type { Migration } from './migration.ts';

export const leaks: Migration = {
  name: '0008-leaks',
  breaking: false,
  sql: (s) => `
CREATE TABLE ${s}.leaks (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES ${s}.accounts,
  livemode boolean NOT NULL,
  version integer NOT NULL,
  key_id text COLLATE "C" REFERENCES ${s}.api_keys,
  endpoint_secret_id text COLLATE "C",
  endpoint_id text COLLATE "C",
  redacted text NOT NULL,
  source text NOT NULL CHECK (length(source) BETWEEN 1 AND 100),
  url text CHECK (length(url) <= 2048),
  -- SHA-256 of source and url: an index holds no 2,048 characters.
  place bytea NOT NULL CHECK (octet_length(place) = 32),
  action text NOT NULL CHECK (action IN ('revoked', 'notified', 'already_revoked')),
  status text NOT NULL CHECK (status IN ('open', 'dismissed')),
  dismissed_at timestamptz,
  created timestamptz NOT NULL,
  CHECK ((key_id IS NULL) = (endpoint_secret_id IS NOT NULL)),
  CHECK ((endpoint_secret_id IS NULL) = (endpoint_id IS NULL)),
  CHECK ((status = 'dismissed') = (dismissed_at IS NOT NULL))
);
CREATE UNIQUE INDEX leaks_once ON ${s}.leaks (COALESCE(key_id, endpoint_secret_id), place);
CREATE INDEX leaks_of_account ON ${s}.leaks (account_id, livemode, id);

-- The outbox: a mail is due again when its lease ends.
CREATE TABLE ${s}.mails (
  id text COLLATE "C" PRIMARY KEY,
  dedupe_key text COLLATE "C" NOT NULL UNIQUE CHECK (length(dedupe_key) <= 200),
  account_id text COLLATE "C" REFERENCES ${s}.accounts,
  to_address text NOT NULL CHECK (length(to_address) <= 320),
  subject text NOT NULL,
  text text NOT NULL,
  html text NOT NULL,
  created timestamptz NOT NULL,
  due_at timestamptz NOT NULL,
  attempt smallint NOT NULL DEFAULT 0,
  sent_at timestamptz,
  failed_at timestamptz,
  last_error text,
  CHECK (sent_at IS NULL OR failed_at IS NULL)
);
CREATE INDEX mails_due ON ${s}.mails (due_at) WHERE sent_at IS NULL AND failed_at IS NULL;
CREATE INDEX mails_created ON ${s}.mails (created);
`,
};
