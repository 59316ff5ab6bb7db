import type { Migration } from './migration.ts';

export const operationReview: Migration = {
  name: '0012-operation-review',
  breaking: false,
  sql: (s) => `
ALTER TABLE ${s}.operations ADD COLUMN review_since timestamptz;
-- Processes of the version before quarantine without saying since when.
CREATE INDEX operations_review ON ${s}.operations (account_id, livemode, id)
  WHERE review_since IS NOT NULL OR state = 'quarantined';

CREATE TABLE ${s}.operation_answers (
  account_id text COLLATE "C" NOT NULL,
  livemode boolean NOT NULL,
  operation_id text COLLATE "C" NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  source text NOT NULL CHECK (source IN ('processor', 'operator')),
  answer jsonb NOT NULL,
  reason text,
  created timestamptz NOT NULL,
  PRIMARY KEY (account_id, livemode, operation_id, seq),
  FOREIGN KEY (account_id, livemode, operation_id) REFERENCES ${s}.operations
);
`,
};
