import type { Migration } from './migration.ts';

export const sandboxNotices: Migration = {
  name: '0035-sandbox-notices',
  breaking: false,
  sql: (s) => `
-- What the sandbox sends later; a row is deleted when it was sent.
CREATE TABLE ${s}.sandbox_notices (
  notice_id text COLLATE "C" PRIMARY KEY,
  due_at timestamptz NOT NULL,
  body text NOT NULL
);
CREATE INDEX sandbox_notices_due ON ${s}.sandbox_notices (due_at);
`,
};
