import type { Migration } from './migration.ts';

export const audit: Migration = {
  name: '0006-audit',
  breaking: false,
  sql: (s) => `
-- One chain per account, and one for what belongs to none; \`chain\` is the account's id or ''.
CREATE TABLE ${s}.audit_heads (
  chain text COLLATE "C" PRIMARY KEY,
  seq bigint NOT NULL,
  hash text NOT NULL
);

CREATE TABLE ${s}.audit_log (
  id text COLLATE "C" PRIMARY KEY,
  chain text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  account_id text COLLATE "C",
  livemode boolean,
  created timestamptz NOT NULL,
  actor_type text NOT NULL,
  actor_id text NOT NULL,
  via text NOT NULL,
  action text NOT NULL,
  target text COLLATE "C" NOT NULL,
  before jsonb,
  after jsonb,
  ip text,
  user_agent text,
  request_id text,
  prev_hash text NOT NULL,
  hash text NOT NULL,
  UNIQUE (chain, seq),
  CHECK (chain = COALESCE(account_id, ''))
);
CREATE INDEX audit_log_of_target ON ${s}.audit_log (target, id);
CREATE INDEX audit_log_of_account ON ${s}.audit_log (account_id, id);
CREATE INDEX audit_log_of_actor ON ${s}.audit_log (actor_id, id);
CREATE INDEX audit_log_of_action ON ${s}.audit_log (action, id);

CREATE FUNCTION ${s}.refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'The audit log is append-only.' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ${s}.audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION ${s}.refuse_audit_change();
`,
};
