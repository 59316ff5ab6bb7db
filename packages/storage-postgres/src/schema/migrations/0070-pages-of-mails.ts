import type { Migration } from './migration.ts';

export const pagesOfMails: Migration = {
  name: '0070-pages-of-mails',
  breaking: false,
  sql: (s) => `
-- The page of the dashboard that a mail is about, to which the mail that is sent links.
ALTER TABLE ${s}.mails ADD COLUMN page text;
`,
};
