import type { Migration } from './migration.ts';

export const usedFiles: Migration = {
  name: '0047-used-files',
  breaking: false,
  sql: (s) => `
-- Files that evidence has named are kept; others are deleted after a time.
ALTER TABLE ${s}.files ADD COLUMN used boolean NOT NULL DEFAULT false;
UPDATE ${s}.files f SET used = true FROM ${s}.disputes d, jsonb_each_text(d.evidence -> 'files') e
  WHERE (f.account_id, f.livemode, f.id) = (d.account_id, d.livemode, e.value);
CREATE INDEX files_unused ON ${s}.files (account_id, livemode, created) INCLUDE (size)
  WHERE NOT used;
CREATE INDEX files_unused_by_created ON ${s}.files (created) WHERE NOT used;
`,
};
