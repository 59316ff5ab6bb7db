import { lockBriefly, type Migration } from './migration.ts';

export const expiredGrants: Migration = {
  name: '0082-expired-grants',
  breaking: false,
  sql: (s) => `
-- A grant that no token can use any more ends by itself.
${lockBriefly(`${s}.grants`)}
ALTER TABLE ${s}.grants DROP CONSTRAINT grants_revoked_reason_check,
  ADD CONSTRAINT grants_revoked_reason_check
    CHECK (revoked_reason IN ('owner', 'platform', 'admin', 'leak', 'reuse', 'expired')) NOT VALID;
CREATE INDEX grants_active ON ${s}.grants (id) WHERE status = 'active';
`,
};
