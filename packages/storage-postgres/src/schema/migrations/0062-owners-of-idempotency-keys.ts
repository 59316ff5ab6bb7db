import type { Migration } from './migration.ts';

export const ownersOfIdempotencyKeys: Migration = {
  name: '0062-owners-of-idempotency-keys',
  breaking: false,
  sql: (s) => `
-- Who stored the key: the id of the key, the grant or the admin, or \`host\`. Null: a process of an
-- earlier version, which stored the keys of tokens as those of the merchant.
ALTER TABLE ${s}.idempotency_keys ADD COLUMN credential text;

-- A token's key is stored with its grant, and an earlier version stored it as it was sent. While
-- processes of both run, neither finds the row of the other, so a repetition must not execute again: it
-- is answered as a key in use. The lock makes one of two requests at once wait for the other's commit,
-- and each statement of this function then sees what was committed.
CREATE FUNCTION ${s}.refuse_repeated_key() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  sent text := split_part(NEW.key, E'\\n\\n', 1);
BEGIN
  PERFORM pg_advisory_xact_lock(
    hashtextextended('key ' || NEW.account_id || ' ' || NEW.livemode || ' ' || sent, 0));
  IF sent <> NEW.key THEN
    IF EXISTS (SELECT FROM ${s}.idempotency_keys k
        WHERE k.account_id = NEW.account_id AND k.livemode = NEW.livemode AND k.key = sent
          AND k.credential IS NULL AND k.fingerprint = NEW.fingerprint) THEN
      RETURN NULL;
    END IF;
  ELSIF EXISTS (SELECT FROM ${s}.idempotency_keys k
      WHERE k.account_id = NEW.account_id AND k.livemode = NEW.livemode
        AND k.key > (sent || E'\\n\\n') COLLATE "C" AND k.key < (sent || E'\\n\\n~') COLLATE "C"
        AND k.fingerprint = NEW.fingerprint) THEN
    RETURN NULL;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER idempotency_keys_of_tokens BEFORE INSERT ON ${s}.idempotency_keys FOR EACH ROW
  WHEN (NEW.credential IS NULL OR strpos(NEW.key, E'\\n\\n') > 0)
  EXECUTE FUNCTION ${s}.refuse_repeated_key();
`,
};
