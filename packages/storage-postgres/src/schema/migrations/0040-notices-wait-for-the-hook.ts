import type { Migration } from './migration.ts';

export const noticesWaitForTheHook: Migration = {
  name: '0040-notices-wait-for-the-hook',
  breaking: false,
  // What the constraint that is dropped allowed, the new one allows too.
  sql: (s) => `
ALTER TABLE ${s}.notices
  DROP CONSTRAINT notices_quarantined_say_why,
  ADD CONSTRAINT notices_reviewed_say_why CHECK (
    (state <> 'quarantined' OR review_since IS NOT NULL)
    AND (review_since IS NULL OR state IN ('waiting', 'quarantined') AND reason IS NOT NULL)
  ) NOT VALID;
DROP INDEX ${s}.notices_review;
CREATE INDEX notices_review ON ${s}.notices (id) WHERE review_since IS NOT NULL;
-- A token may be longer than an entry of a B-tree.
CREATE INDEX notices_of_token ON ${s}.notices USING hash ((data ->> 'processorToken'))
  WHERE kind = 'account_update' AND state IN ('applied', 'ignored');
`,
};
