import type { Migration } from './migration.ts';

export const roundsOfDisputes: Migration = {
  name: '0065-rounds-of-disputes',
  breaking: false,
  sql: (s) => `
-- A ruling may be reversed, in a later round. A round books under kinds of its own, so that each takes the
-- money once, and gives it back once.
ALTER TABLE ${s}.disputes ADD COLUMN round smallint NOT NULL DEFAULT 1,
  ADD COLUMN ruled_at timestamptz,
  ADD COLUMN earlier_bookings jsonb NOT NULL DEFAULT '[]',
  ADD COLUMN earlier_answer_id text COLLATE "C",
  ADD COLUMN won_round smallint,
  ADD CONSTRAINT disputes_round CHECK (round BETWEEN 1 AND 5) NOT VALID,
  -- Processes of an earlier version do not know the column. They would book nothing for a win of a later
  -- round and say that they did; so they cannot record one, and its notice waits for a newer process.
  ADD CONSTRAINT disputes_won_in_round
    CHECK (status <> 'won' OR round = 1 OR won_round IS NOT DISTINCT FROM round) NOT VALID;
-- Several chargebacks of a charge may be open, if they take no more than was captured.
DROP INDEX ${s}.disputes_one_open;
CREATE UNIQUE INDEX disputes_one_alert ON ${s}.disputes (account_id, livemode, charge_id)
  WHERE status = 'warning_needs_response';
`,
};
