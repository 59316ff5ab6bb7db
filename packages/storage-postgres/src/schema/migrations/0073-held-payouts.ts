import type { Migration } from './migration.ts';

export const heldPayouts: Migration = {
  name: '0073-held-payouts',
  breaking: false,
  sql: (s) => `
-- Also keeps processes of an earlier version from sending a payout there. The deadline of a call is
-- after its beginning by the clock that the time of the hold is from.
CREATE FUNCTION ${s}.refuse_held_payout() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM ${s}.payouts p
      JOIN ${s}.bank_accounts b
        ON (b.account_id, b.livemode, b.id) = (p.account_id, p.livemode, p.destination_id)
      JOIN ${s}.accounts a ON (a.id) = (p.account_id)
      WHERE p.account_id = NEW.account_id AND p.livemode = NEW.livemode AND p.id = NEW.subject_id
        AND b.held_until > NEW.deadline_at AND a.holds_destinations) THEN
    RAISE EXCEPTION 'The destination of the payout is held'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'operations_destination_not_held';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER operations_destination_not_held BEFORE UPDATE ON ${s}.operations
  FOR EACH ROW WHEN (NEW.kind = 'payout' AND OLD.state = 'created' AND NEW.state = 'sent')
  EXECUTE FUNCTION ${s}.refuse_held_payout();
`,
};
