import type { Migration } from './migration.ts';

export const waitingNotices: Migration = {
  name: '0067-waiting-notices',
  breaking: false,
  // By itself: it reads all notices, and holds no lock on disputes, nor one that keeps readers out.
  sql: (s) => `
-- Those that wait for another notice about the same object, or did until their schedule ended.
CREATE INDEX notices_waiting ON ${s}.notices (root_id)
  WHERE root_id IS NOT NULL AND state IN ('waiting', 'quarantined');
`,
};
