import type { Migration } from './migration.ts';

export const ownersOfIdempotencyKeys: Migration = {
  name: '0062-owners-of-idempotency-keys',
  breaking: false,
  sql: (s) => `
-- Who stored the key: the id of the key, the grant or the admin, or \`host\`. Null: a process of an
-- earlier version, which stored the keys of tokens as those of the merchant.
ALTER TABLE ${s}.idempotency_keys ADD COLUMN credential text;

-- A token's key is stored with its grant. While processes of both versions run, the earlier one does
-- not find it there, so a repetition must not execute again: it is answered as a key in use.
CREATE FUNCTION ${s}.refuse_repeated_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM ${s}.idempotency_keys k
      WHERE k.account_id = NEW.account_id AND k.livemode = NEW.livemode
        AND k.key > (NEW.key || E'\\n\\n') COLLATE "C"
        AND k.key < (NEW.key || E'\\n\\n~') COLLATE "C"
        AND k.fingerprint = NEW.fingerprint) THEN
    RETURN NULL;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER idempotency_keys_of_tokens BEFORE INSERT ON ${s}.idempotency_keys
  FOR EACH ROW WHEN (NEW.credential IS NULL) EXECUTE FUNCTION ${s}.refuse_repeated_key();
`,
};
