import type { Migration } from './migration.ts';

export const notices: Migration = {
  name: '0034-notices',
  breaking: false,
  sql: (s) => `
CREATE TABLE ${s}.notices (
  id text COLLATE "C" PRIMARY KEY,
  livemode boolean NOT NULL,
  processor text NOT NULL,
  notice_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  operation_id text COLLATE "C",
  processor_reference text,
  occurred_at timestamptz NOT NULL,
  data jsonb NOT NULL,
  account_id text COLLATE "C" REFERENCES ${s}.accounts,
  found_id text COLLATE "C",
  state text NOT NULL
    CHECK (state IN ('received', 'waiting', 'applied', 'ignored', 'quarantined')),
  reason text,
  tries integer NOT NULL,
  next_try_at timestamptz,
  review_since timestamptz,
  created timestamptz NOT NULL,
  -- What a processor sends again is the same notice.
  UNIQUE (processor, livemode, notice_id),
  CONSTRAINT notices_open_are_due
    CHECK ((state IN ('received', 'waiting')) = (next_try_at IS NOT NULL)),
  CONSTRAINT notices_quarantined_say_why CHECK ((state = 'quarantined') = (review_since IS NOT NULL)
    AND (state <> 'quarantined' OR reason IS NOT NULL))
) WITH (fillfactor = 80);
CREATE INDEX notices_due ON ${s}.notices (livemode, next_try_at) WHERE next_try_at IS NOT NULL;
CREATE INDEX notices_review ON ${s}.notices (id) WHERE state = 'quarantined';
CREATE INDEX notices_of_operation ON ${s}.notices (found_id, occurred_at) WHERE state = 'applied';

-- A reference may be longer than an entry of a B-tree.
CREATE INDEX operations_by_reference ON ${s}.operations USING hash (processor_reference)
  WHERE processor_reference IS NOT NULL;
-- Ids come in order of time, so a range for every 32 pages finds one, and costs writers nothing.
CREATE INDEX operations_by_id ON ${s}.operations USING brin (id)
  WITH (pages_per_range = 32, autosummarize = on);
`,
};
