import { lockBriefly, type Migration } from './migration.ts';

export const unannouncedDestinations: Migration = {
  name: '0084-unannounced-destinations',
  breaking: false,
  sql: (s) => `
-- Bank accounts that a process of an earlier version added, or made the default: a worker writes the audit
-- entry and the e-mail that are missing, and deletes the row.
CREATE TABLE ${s}.unannounced_destinations (
  bank_account_id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  livemode boolean NOT NULL,
  -- The first one of its currency, another one, or one that was there and has become the default.
  news text NOT NULL CHECK (news IN ('first', 'added', 'default')),
  noted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (bank_account_id, news)
);
-- Holds it too, as this version does. The time of the insert is the one that the process wrote. With the
-- rights of its owner: a role that only serves requests may not have any on the new table yet.
CREATE FUNCTION ${s}.note_unannounced_destination() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  said text := 'default';
BEGIN
  IF TG_OP = 'INSERT' AND NEW.created < clock_timestamp() - interval '1 day' THEN
    -- Somebody restores data: nobody has added it now.
    RETURN NEW;
  END IF;
  IF TG_OP = 'UPDATE' AND NEW.held_until = '-infinity' THEN
    -- This version has decided that it is not held.
    NEW.held_until := NULL;
    RETURN NEW;
  END IF;
  IF TG_OP = 'UPDATE' AND NEW.held_until IS DISTINCT FROM OLD.held_until THEN
    RETURN NEW;
  END IF;
  IF NEW.livemode AND EXISTS (SELECT FROM ${s}.accounts a
      WHERE a.id = NEW.account_id AND a.holds_destinations) THEN
    NEW.held_until := interval '24 hours'
      + CASE TG_OP WHEN 'INSERT' THEN NEW.created ELSE clock_timestamp() END;
  END IF;
  IF TG_OP = 'INSERT' THEN
    said := CASE WHEN EXISTS (SELECT FROM ${s}.bank_accounts b
        WHERE b.account_id = NEW.account_id AND b.livemode = NEW.livemode
          AND b.currency = NEW.currency AND b.deleted_at IS NULL)
      THEN 'added' ELSE 'first' END;
  END IF;
  INSERT INTO ${s}.unannounced_destinations (bank_account_id, account_id, livemode, news)
    VALUES (NEW.id, NEW.account_id, NEW.livemode, said)
    ON CONFLICT (bank_account_id, news) DO NOTHING;
  RETURN NEW;
END $$;
REVOKE ALL ON FUNCTION ${s}.note_unannounced_destination() FROM PUBLIC;
-- Marks statements that name the column, which those of earlier versions do not.
CREATE FUNCTION ${s}.mark_announced_destination() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.held_until := COALESCE(NEW.held_until, '-infinity');
  RETURN NEW;
END $$;

${lockBriefly(`${s}.bank_accounts`)}
-- This version always writes who made a bank account.
CREATE TRIGGER bank_accounts_added_unannounced BEFORE INSERT ON ${s}.bank_accounts
  FOR EACH ROW WHEN (NEW.created_by IS NULL) EXECUTE FUNCTION ${s}.note_unannounced_destination();
CREATE TRIGGER bank_accounts_default_1_announced BEFORE UPDATE OF held_until ON ${s}.bank_accounts
  FOR EACH ROW WHEN (NEW.is_default AND NOT OLD.is_default)
  EXECUTE FUNCTION ${s}.mark_announced_destination();
CREATE TRIGGER bank_accounts_default_2_unannounced BEFORE UPDATE ON ${s}.bank_accounts
  FOR EACH ROW WHEN (NEW.is_default AND NOT OLD.is_default)
  EXECUTE FUNCTION ${s}.note_unannounced_destination();
`,
};
