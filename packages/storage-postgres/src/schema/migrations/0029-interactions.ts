import type { Migration } from './migration.ts';

export const interactions: Migration = {
  name: '0029-interactions',
  breaking: false,
  sql: (s) => `
CREATE TABLE ${s}.interactions (
  id text COLLATE "C" PRIMARY KEY,
  livemode boolean NOT NULL,
  platform_id text COLLATE "C" NOT NULL,
  redirect_uri text NOT NULL,
  names_redirect_uri boolean NOT NULL,
  scopes text[] NOT NULL CHECK (cardinality(scopes) > 0),
  state text,
  code_challenge text,
  browser_hash bytea NOT NULL CHECK (octet_length(browser_hash) = 32),
  user_id text,
  session_hash bytea CHECK (octet_length(session_hash) = 32),
  logins integer NOT NULL DEFAULT 0,
  created timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  decided_at timestamptz,
  FOREIGN KEY (livemode, platform_id) REFERENCES ${s}.platforms (livemode, id),
  -- A session belongs to a user; a decision belongs to both.
  CONSTRAINT interactions_user CHECK (session_hash IS NULL OR user_id IS NOT NULL),
  CONSTRAINT interactions_decided CHECK (decided_at IS NULL OR session_hash IS NOT NULL)
);
CREATE INDEX interactions_by_age ON ${s}.interactions (expires_at);
`,
};
