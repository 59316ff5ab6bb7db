import type { Migration } from './migration.ts';

export const testClocks: Migration = {
  name: '0048-test-clocks',
  breaking: false,
  // What is on a clock has due times that say nothing about now, and clocks that nobody advances keep
  // theirs for ever: the indexes of the work of real time leave it out.
  sql: (s) => `
CREATE TABLE ${s}.test_clocks (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL REFERENCES ${s}.accounts,
  livemode boolean NOT NULL CHECK (NOT livemode),
  version integer NOT NULL,
  name text,
  frozen_time timestamptz NOT NULL,
  status text NOT NULL,
  target_time timestamptz,
  failure text,
  failures integer NOT NULL,
  claims integer NOT NULL DEFAULT 0,
  lease_until timestamptz,
  created timestamptz NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (account_id, livemode, id),
  CONSTRAINT test_clocks_state CHECK (status IN ('ready', 'advancing', 'internal_failure')
    AND (status = 'advancing') = (target_time IS NOT NULL)
    AND (status = 'internal_failure') = (failure IS NOT NULL)
    AND (deleted_at IS NULL OR status = 'ready' AND name IS NULL))
) WITH (fillfactor = 70);
CREATE INDEX test_clocks_by_created ON ${s}.test_clocks (account_id, livemode, created, id)
  WHERE deleted_at IS NULL;
-- Workers take the one that has waited longest.
CREATE INDEX test_clocks_advancing ON ${s}.test_clocks (lease_until NULLS FIRST)
  WHERE status = 'advancing';
CREATE INDEX test_clocks_old ON ${s}.test_clocks (created) WHERE deleted_at IS NULL;

ALTER TABLE ${s}.customers ADD COLUMN test_clock_id text COLLATE "C";
CREATE INDEX customers_of_clock
  ON ${s}.customers (account_id, livemode, test_clock_id, created, id)
  WHERE test_clock_id IS NOT NULL AND deleted_at IS NULL;
ALTER TABLE ${s}.payment_methods ADD COLUMN test_clock_id text COLLATE "C";

ALTER TABLE ${s}.charges ADD COLUMN test_clock_id text COLLATE "C";
CREATE INDEX charges_expiring ON ${s}.charges (capture_before, id)
  WHERE capture_before IS NOT NULL AND test_clock_id IS NULL;
CREATE INDEX charges_expiring_on_clock ON ${s}.charges (test_clock_id, capture_before, id)
  WHERE capture_before IS NOT NULL AND test_clock_id IS NOT NULL;
DROP INDEX ${s}.charges_capture_before;

ALTER TABLE ${s}.disputes ADD COLUMN test_clock_id text COLLATE "C";
CREATE INDEX disputes_ending ON ${s}.disputes (due_by, id)
  WHERE status IN ('warning_needs_response', 'needs_response') AND NOT past_due
    AND test_clock_id IS NULL;
CREATE INDEX disputes_ending_on_clock ON ${s}.disputes (test_clock_id, due_by, id)
  WHERE status IN ('warning_needs_response', 'needs_response') AND NOT past_due
    AND test_clock_id IS NOT NULL;
DROP INDEX ${s}.disputes_due;

ALTER TABLE ${s}.balance_transactions ADD COLUMN test_clock_id text COLLATE "C";
CREATE INDEX balance_transactions_pending ON ${s}.balance_transactions (available_on)
  WHERE status = 'pending' AND test_clock_id IS NULL;
CREATE INDEX balance_transactions_pending_on_clock
  ON ${s}.balance_transactions (test_clock_id, available_on)
  WHERE status = 'pending' AND test_clock_id IS NOT NULL;
DROP INDEX ${s}.balance_transactions_due;

ALTER TABLE ${s}.payouts ADD COLUMN test_clock_id text COLLATE "C";
CREATE INDEX payouts_unsent_on_clock ON ${s}.payouts (test_clock_id, created, id)
  WHERE status = 'pending' AND test_clock_id IS NOT NULL;

ALTER TABLE ${s}.sandbox_notices ADD COLUMN test_clock_id text COLLATE "C";
CREATE INDEX sandbox_notices_next ON ${s}.sandbox_notices (due_at) WHERE test_clock_id IS NULL;
CREATE INDEX sandbox_notices_on_clock ON ${s}.sandbox_notices (test_clock_id, due_at)
  WHERE test_clock_id IS NOT NULL;
DROP INDEX ${s}.sandbox_notices_due;
`,
};
