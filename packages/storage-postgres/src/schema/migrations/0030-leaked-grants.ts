import type { Migration } from './migration.ts';

export const leakedGrants: Migration = {
  name: '0030-leaked-grants',
  breaking: false,
  sql: (s) => `
-- No foreign key: a grant whose code nobody exchanged is deleted, and the leak of its code is kept.
ALTER TABLE ${s}.leaks
  ADD COLUMN grant_id text COLLATE "C",
  DROP CONSTRAINT leaks_check,
  ADD CONSTRAINT leaks_one_credential CHECK (num_nonnulls(key_id, endpoint_secret_id, grant_id) = 1);
CREATE UNIQUE INDEX leaks_of_grant_once ON ${s}.leaks (grant_id, place) WHERE grant_id IS NOT NULL;
`,
};
