import type { Migration } from './migration.ts';

export const disputes: Migration = {
  name: '0039-disputes',
  breaking: false,
  // The columns of charges have constant defaults, so that adding them rewrites nothing.
  sql: (s) => `
ALTER TABLE ${s}.charges ADD COLUMN dispute_id text COLLATE "C",
  ADD COLUMN disputed boolean NOT NULL DEFAULT false;

CREATE TABLE ${s}.disputes (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  livemode boolean NOT NULL,
  version integer NOT NULL,
  status text NOT NULL,
  charge_id text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  reason text NOT NULL,
  network_reason_code text,
  processor_name text NOT NULL,
  processor_reference text NOT NULL,
  due_by timestamptz NOT NULL,
  evidence jsonb NOT NULL,
  submission_count integer NOT NULL,
  closed_reason text,
  debit_id text COLLATE "C",
  debit_fee bigint,
  debit_fee_details jsonb,
  debited_at timestamptz,
  credit_id text COLLATE "C",
  credited_at timestamptz,
  metadata jsonb NOT NULL,
  created timestamptz NOT NULL,
  PRIMARY KEY (account_id, livemode, id),
  FOREIGN KEY (account_id, livemode, charge_id) REFERENCES ${s}.charges,
  CONSTRAINT disputes_state CHECK (amount BETWEEN 1 AND 99999999
    AND status IN ('warning_needs_response', 'warning_closed', 'prevented', 'needs_response',
      'under_review', 'won', 'lost')
    AND (status IN ('needs_response', 'under_review', 'won', 'lost')) = (debit_id IS NOT NULL)
    AND (debit_id IS NULL) = (debited_at IS NULL) AND (debit_id IS NULL) = (debit_fee IS NULL)
    AND (debit_id IS NULL) = (debit_fee_details IS NULL)
    AND (status = 'won') = (credit_id IS NOT NULL)
    AND (credit_id IS NULL) = (credited_at IS NULL)
    AND (status = 'lost') = (closed_reason IS NOT NULL))
) WITH (fillfactor = 80);
-- However often a processor reports a chargeback, it takes the money once.
CREATE UNIQUE INDEX disputes_once_per_reference
  ON ${s}.disputes (livemode, processor_name, processor_reference);
CREATE UNIQUE INDEX disputes_one_open ON ${s}.disputes (account_id, livemode, charge_id)
  WHERE status IN ('warning_needs_response', 'needs_response', 'under_review');
CREATE INDEX disputes_of_charge ON ${s}.disputes (account_id, livemode, charge_id, id);
CREATE INDEX disputes_by_created ON ${s}.disputes (account_id, livemode, created, id);
CREATE INDEX disputes_by_status ON ${s}.disputes (account_id, livemode, status, created, id);
CREATE INDEX disputes_due ON ${s}.disputes (due_by, id)
  WHERE status IN ('warning_needs_response', 'needs_response');
`,
};
