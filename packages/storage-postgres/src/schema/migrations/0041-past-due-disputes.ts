import type { Migration } from './migration.ts';

export const pastDueDisputes: Migration = {
  name: '0041-past-due-disputes',
  breaking: false,
  sql: (s) => `
ALTER TABLE ${s}.disputes ADD COLUMN past_due boolean NOT NULL DEFAULT false;
UPDATE ${s}.disputes SET past_due = true WHERE closed_reason = 'expired';
-- One that is answered at the processor stays open after its time, and is not looked at again.
DROP INDEX ${s}.disputes_due;
CREATE INDEX disputes_due ON ${s}.disputes (due_by, id)
  WHERE status IN ('warning_needs_response', 'needs_response') AND NOT past_due;
`,
};
