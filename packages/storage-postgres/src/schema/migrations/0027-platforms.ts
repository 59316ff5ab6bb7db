import type { Migration } from './migration.ts';

export const platforms: Migration = {
  name: '0027-platforms',
  breaking: false,
  sql: (s) => `
CREATE TABLE ${s}.platforms (
  id text COLLATE "C" PRIMARY KEY,
  version integer NOT NULL,
  livemode boolean NOT NULL,
  type text NOT NULL CHECK (type IN ('confidential', 'public')),
  name text NOT NULL,
  redirect_uris text[] NOT NULL CHECK (cardinality(redirect_uris) > 0),
  callback_origins text[] NOT NULL,
  scopes text[] NOT NULL CHECK (cardinality(scopes) > 0),
  require_pkce boolean NOT NULL,
  contact_email text NOT NULL,
  status text NOT NULL CHECK (status IN ('active', 'disabled')),
  disabled_at timestamptz,
  created timestamptz NOT NULL,
  created_by text NOT NULL,
  UNIQUE (livemode, id),
  CONSTRAINT platforms_disabled CHECK ((status = 'disabled') = (disabled_at IS NOT NULL)),
  CONSTRAINT platforms_pkce CHECK (type = 'confidential' OR require_pkce)
);
CREATE TABLE ${s}.client_secrets (
  id text COLLATE "C" PRIMARY KEY,
  platform_id text COLLATE "C" NOT NULL REFERENCES ${s}.platforms,
  hash bytea NOT NULL UNIQUE,
  redacted text NOT NULL,
  status text NOT NULL CHECK (status IN ('active', 'revoked')),
  revoked_at timestamptz,
  revoked_reason text CHECK (revoked_reason IN ('rotation', 'leak', 'admin')),
  created timestamptz NOT NULL,
  created_by text NOT NULL,
  CONSTRAINT client_secrets_revoked CHECK ((status = 'revoked') = (revoked_at IS NOT NULL)
    AND (status = 'revoked') = (revoked_reason IS NOT NULL))
);
CREATE INDEX client_secrets_active ON ${s}.client_secrets (platform_id) WHERE status = 'active';
`,
};
