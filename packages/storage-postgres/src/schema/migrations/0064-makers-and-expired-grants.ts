import type { Migration } from './migration.ts';

const MADE = ['charges', 'refunds', 'payouts', 'bank_accounts', 'files', 'replays', 'test_clocks'];

export const makersAndExpiredGrants: Migration = {
  name: '0064-makers-and-expired-grants',
  breaking: false,
  sql: (s) => `
-- As that of endpoints; null if an earlier version wrote the row, or nobody asked for it.
${MADE.map((table) => `ALTER TABLE ${s}.${table} ADD COLUMN created_by jsonb;`).join('\n')}

-- A grant that no token can use any more ends by itself.
ALTER TABLE ${s}.grants DROP CONSTRAINT grants_revoked_reason_check,
  ADD CONSTRAINT grants_revoked_reason_check
    CHECK (revoked_reason IN ('owner', 'platform', 'admin', 'leak', 'reuse', 'expired')) NOT VALID;
CREATE INDEX grants_active ON ${s}.grants (id) WHERE status = 'active';
`,
};
