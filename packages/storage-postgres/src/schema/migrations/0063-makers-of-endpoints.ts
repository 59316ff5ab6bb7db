import { lockBriefly, type Migration } from './migration.ts';

export const makersOfEndpoints: Migration = {
  name: '0063-makers-of-endpoints',
  breaking: false,
  sql: (s) => `
-- Grants, platforms and keys whose endpoints must be looked at, because their access may have ended.
-- Workers delete a row once nothing is left to disable.
CREATE TABLE ${s}.ended_access (
  subject text COLLATE "C" PRIMARY KEY,
  ended_at timestamptz NOT NULL
);
-- Triggers write it, so that it holds for processes of every version and for changes by hand.
CREATE FUNCTION ${s}.note_ended_access() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ${s}.ended_access (subject, ended_at) VALUES (NEW.id, clock_timestamp())
    ON CONFLICT (subject) DO UPDATE SET ended_at = EXCLUDED.ended_at;
  RETURN NULL;
END $$;
CREATE TRIGGER api_keys_end_access AFTER UPDATE ON ${s}.api_keys FOR EACH ROW
  WHEN (OLD.status <> 'revoked' AND NEW.status = 'revoked')
  EXECUTE FUNCTION ${s}.note_ended_access();
CREATE TRIGGER platforms_end_access AFTER UPDATE ON ${s}.platforms FOR EACH ROW
  WHEN (OLD.status <> NEW.status OR OLD.scopes <> NEW.scopes)
  EXECUTE FUNCTION ${s}.note_ended_access();
CREATE TRIGGER grants_end_access AFTER UPDATE ON ${s}.grants FOR EACH ROW
  WHEN (OLD.status = 'active' AND (NEW.status <> 'active' OR OLD.scopes <> NEW.scopes))
  EXECUTE FUNCTION ${s}.note_ended_access();

-- Audit entries of transactions that the host commits. They enter their chain at the commit: a chain is
-- locked until then, and the host's transaction may stay open for long. Both texts, with the number of
-- the entry between them, are what is hashed.
CREATE TABLE ${s}.audit_pending (
  id text COLLATE "C" PRIMARY KEY,
  entry jsonb NOT NULL,
  text_before text NOT NULL,
  text_after text NOT NULL
);
-- The first of them chains all, in the order in which every caller locks the heads of chains; the later
-- calls find nothing.
CREATE FUNCTION ${s}.chain_pending_audit() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  pending record;
  head record;
  digest text;
BEGIN
  FOR pending IN SELECT p.*, p.entry ->> 'chain' AS chain FROM ${s}.audit_pending p
    ORDER BY (p.entry ->> 'chain') COLLATE "C", p.id
  LOOP
    -- One round: the head of the chain stays locked until the commit.
    FOR head IN INSERT INTO ${s}.audit_heads AS h (chain, seq, hash)
      VALUES (pending.chain, 0, repeat('0', 64))
      ON CONFLICT (chain) DO UPDATE SET chain = h.chain RETURNING h.seq + 1 AS seq, h.hash
    LOOP
      digest := encode(sha256(convert_to(
        head.hash || pending.text_before || head.seq::text || pending.text_after, 'UTF8')), 'hex');
      INSERT INTO ${s}.audit_log SELECT r.* FROM jsonb_populate_record(NULL::${s}.audit_log,
        pending.entry || jsonb_build_object('seq', head.seq, 'prev_hash', head.hash, 'hash', digest)) r;
      UPDATE ${s}.audit_heads h SET seq = head.seq, hash = digest WHERE h.chain = pending.chain;
    END LOOP;
    DELETE FROM ${s}.audit_pending p WHERE p.id = pending.id;
  END LOOP;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER audit_pending_is_chained AFTER INSERT ON ${s}.audit_pending
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ${s}.chain_pending_audit();

${lockBriefly(`${s}.webhook_endpoints`)}
-- {"type":"platform","id":"ca_...","grant":"grt_..."}, {"type":"key","id":"key_..."}, or a person. Null:
-- unknown, because a process of an earlier version wrote the row. It then counts as the merchant's.
ALTER TABLE ${s}.webhook_endpoints
  ADD COLUMN created_by jsonb,
  ADD COLUMN changed_by jsonb,
  ADD COLUMN url_set_by jsonb;
-- What ends with a credential: the endpoints whose URL it set.
CREATE INDEX webhook_endpoints_by_url_setter ON ${s}.webhook_endpoints ((url_set_by ->> 'id'), id)
  WHERE status <> 'deleted' AND url_set_by IS NOT NULL;

-- A process of an earlier version, or a change by hand, changes the URL and leaves who set the former
-- one. Then it is unknown. The first trigger marks statements that name the column; the second, which
-- fires after it, takes the mark away.
CREATE FUNCTION ${s}.mark_url_setter() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.url_set_by := NEW.url_set_by || '{"named":true}';
  RETURN NEW;
END $$;
CREATE FUNCTION ${s}.forget_url_setter() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.url_set_by := CASE WHEN NEW.url_set_by ? 'named' THEN NEW.url_set_by - 'named' END;
  RETURN NEW;
END $$;
CREATE TRIGGER webhook_endpoints_1_mark_setter BEFORE UPDATE OF url_set_by ON ${s}.webhook_endpoints
  FOR EACH ROW WHEN (OLD.url <> NEW.url) EXECUTE FUNCTION ${s}.mark_url_setter();
CREATE TRIGGER webhook_endpoints_2_forget_setter BEFORE UPDATE ON ${s}.webhook_endpoints
  FOR EACH ROW WHEN (OLD.url <> NEW.url) EXECUTE FUNCTION ${s}.forget_url_setter();
`,
};
