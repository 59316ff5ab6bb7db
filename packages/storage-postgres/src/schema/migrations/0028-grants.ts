import type { Migration } from './migration.ts';

export const grants: Migration = {
  name: '0028-grants',
  breaking: false,
  sql: (s) => `
CREATE TABLE ${s}.grants (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES ${s}.accounts,
  livemode boolean NOT NULL,
  platform_id text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  scopes text[] NOT NULL CHECK (cardinality(scopes) > 0),
  status text NOT NULL CHECK (status IN ('pending', 'active', 'revoked')),
  revoked_at timestamptz,
  revoked_reason text CHECK (revoked_reason IN ('owner', 'platform', 'admin', 'leak', 'reuse')),
  approved_by text NOT NULL,
  created timestamptz NOT NULL,
  -- A platform and its grants have the same environment.
  FOREIGN KEY (livemode, platform_id) REFERENCES ${s}.platforms (livemode, id),
  CONSTRAINT grants_revoked CHECK ((status = 'revoked') = (revoked_at IS NOT NULL)
    AND (status = 'revoked') = (revoked_reason IS NOT NULL))
);
CREATE INDEX grants_of_account ON ${s}.grants (account_id, livemode, id);
CREATE INDEX grants_open ON ${s}.grants (account_id, livemode, platform_id, id)
  WHERE status <> 'revoked';
CREATE INDEX grants_of_platform ON ${s}.grants (platform_id, id);
CREATE INDEX grants_pending ON ${s}.grants (created) WHERE status = 'pending';

-- Hashes alone: whoever reads the database gets no code and no token.
CREATE TABLE ${s}.authorization_codes (
  hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
  grant_id text COLLATE "C" NOT NULL REFERENCES ${s}.grants ON DELETE CASCADE,
  platform_id text COLLATE "C" NOT NULL,
  redirect_uri text,
  code_challenge text,
  created timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at timestamptz
);
CREATE INDEX authorization_codes_of_grant ON ${s}.authorization_codes (grant_id);
CREATE INDEX authorization_codes_by_age ON ${s}.authorization_codes (expires_at);

CREATE TABLE ${s}.access_tokens (
  id text COLLATE "C" PRIMARY KEY,
  grant_id text COLLATE "C" NOT NULL REFERENCES ${s}.grants ON DELETE CASCADE,
  hash bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
  scopes text[] NOT NULL,
  created timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz
);
CREATE INDEX access_tokens_of_grant ON ${s}.access_tokens (grant_id);
CREATE INDEX access_tokens_by_age ON ${s}.access_tokens (expires_at);

CREATE TABLE ${s}.refresh_tokens (
  id text COLLATE "C" PRIMARY KEY,
  grant_id text COLLATE "C" NOT NULL REFERENCES ${s}.grants ON DELETE CASCADE,
  hash bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
  created timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  consumed_at timestamptz,
  successor_id text COLLATE "C" UNIQUE,
  scope text,
  -- The pair that replaced it, for a platform that did not get the response; erased soon.
  sealed_pair text,
  kid text,
  CONSTRAINT refresh_tokens_consumed CHECK ((consumed_at IS NULL) = (successor_id IS NULL)
    AND (consumed_at IS NULL) = (scope IS NULL)
    AND (sealed_pair IS NULL) = (kid IS NULL)
    AND (sealed_pair IS NULL OR consumed_at IS NOT NULL))
) WITH (fillfactor = 80);
CREATE INDEX refresh_tokens_of_grant ON ${s}.refresh_tokens (grant_id);
CREATE INDEX refresh_tokens_by_age ON ${s}.refresh_tokens (expires_at);
CREATE INDEX refresh_tokens_consumed_by_age ON ${s}.refresh_tokens (consumed_at)
  WHERE consumed_at IS NOT NULL;
CREATE INDEX refresh_tokens_sealed ON ${s}.refresh_tokens (kid, id) WHERE kid IS NOT NULL;
`,
};
