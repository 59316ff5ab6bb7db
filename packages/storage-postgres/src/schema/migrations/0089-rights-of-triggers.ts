import type { Migration } from './migration.ts';

/** The trigger functions that write into a table; 0084 makes its own this way. */
const WRITERS = ['note_ended_access', 'chain_pending_audit', 'keep_pending_bank_funds'];

export const rightsOfTriggers: Migration = {
  name: '0089-rights-of-triggers',
  breaking: false,
  sql: (s) => `
-- A trigger that writes into a table of a newer version runs with the rights of its owner: processes of the
-- previous version may use a role that has no rights on that table yet. A fixed search_path, so that no
-- name is found in a schema of the caller; and nobody else may put such a function on a table.
${WRITERS.map(
  (name) => `ALTER FUNCTION ${s}.${name}() SECURITY DEFINER SET search_path = pg_catalog, pg_temp;
REVOKE ALL ON FUNCTION ${s}.${name}() FROM PUBLIC;`,
).join('\n')}
`,
};
