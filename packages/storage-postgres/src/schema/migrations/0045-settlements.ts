import type { Migration } from './migration.ts';

export const settlements: Migration = {
  name: '0045-settlements',
  breaking: false,
  sql: (s) => `
CREATE TABLE ${s}.settlement_lines (
  id text COLLATE "C" PRIMARY KEY,
  livemode boolean NOT NULL,
  processor text NOT NULL,
  line_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  amount bigint NOT NULL,
  fee bigint NOT NULL,
  currency text NOT NULL,
  settled_on timestamptz NOT NULL,
  operation_id text COLLATE "C",
  processor_reference text,
  account_id text COLLATE "C" REFERENCES ${s}.accounts,
  found_id text COLLATE "C",
  charge_id text COLLATE "C",
  expected_amount bigint,
  created timestamptz NOT NULL,
  -- However often a processor reports a line, it is booked once.
  UNIQUE (processor, livemode, line_id),
  FOREIGN KEY (account_id, livemode, charge_id) REFERENCES ${s}.charges,
  CONSTRAINT settlement_lines_match CHECK ((account_id IS NULL) = (found_id IS NULL)
    AND (account_id IS NULL) = (charge_id IS NULL) AND (account_id IS NOT NULL OR expected_amount IS NULL))
);
CREATE INDEX settlement_lines_of_charge ON ${s}.settlement_lines (account_id, livemode, charge_id)
  WHERE charge_id IS NOT NULL;
-- When a processor began to send lines.
CREATE INDEX settlement_lines_by_day ON ${s}.settlement_lines (livemode, processor, settled_on);

CREATE TABLE ${s}.settlement_differences (
  id text COLLATE "C" PRIMARY KEY,
  livemode boolean NOT NULL,
  processor text NOT NULL,
  kind text NOT NULL,
  account_id text COLLATE "C" REFERENCES ${s}.accounts,
  subject_id text COLLATE "C" NOT NULL,
  line_id text COLLATE "C",
  currency text NOT NULL,
  expected_amount bigint,
  found_amount bigint NOT NULL,
  state text NOT NULL,
  note text,
  created timestamptz NOT NULL,
  UNIQUE (subject_id, kind),
  CONSTRAINT settlement_differences_state CHECK (state IN ('open', 'settled', 'resolved')
    AND (state = 'settled') = (note IS NOT NULL))
);
CREATE INDEX settlement_differences_open ON ${s}.settlement_differences (kind, id)
  WHERE state = 'open';
`,
};
