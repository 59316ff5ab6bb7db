import type { Migration } from './migration.ts';

export const files: Migration = {
  name: '0038-files',
  breaking: false,
  // Contents have a table of their own, so that no list reads them. They are stored before the row
  // of their file, so nothing refers to them by a foreign key.
  sql: (s) => `
CREATE TABLE ${s}.files (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL REFERENCES ${s}.accounts,
  livemode boolean NOT NULL,
  version integer NOT NULL,
  purpose text NOT NULL,
  filename text NOT NULL,
  type text NOT NULL,
  size integer NOT NULL CHECK (size > 0),
  digest text NOT NULL,
  created timestamptz NOT NULL,
  PRIMARY KEY (account_id, livemode, id)
);
CREATE INDEX files_by_created ON ${s}.files (account_id, livemode, created, id);

CREATE TABLE ${s}.file_contents (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  livemode boolean NOT NULL,
  content bytea NOT NULL,
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (account_id, livemode, id)
);
-- Files are compressed already.
ALTER TABLE ${s}.file_contents ALTER COLUMN content SET STORAGE EXTERNAL;

CREATE TABLE ${s}.file_uploads (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  livemode boolean NOT NULL,
  created timestamptz NOT NULL,
  PRIMARY KEY (account_id, livemode, id)
);
CREATE INDEX file_uploads_by_created ON ${s}.file_uploads (created);
`,
};
