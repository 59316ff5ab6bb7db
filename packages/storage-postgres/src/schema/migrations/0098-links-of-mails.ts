import type { Migration } from './migration.ts';

export const linksOfMails: Migration = {
  name: '0098-links-of-mails',
  breaking: false,
  sql: (s) => `
-- The invoice that a mail to a customer links to. The address is filled in as the mail is sent.
ALTER TABLE ${s}.mails ADD COLUMN link jsonb;
`,
};
