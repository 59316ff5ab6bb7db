import type { Migration } from './migration.ts';

export const customersOfMails: Migration = {
  name: '0109-customers-of-mails',
  breaking: false,
  sql: (s) => `
-- To which customer a mail is: it is deleted with the customer.
ALTER TABLE ${s}.mails ADD COLUMN customer_id text;

CREATE INDEX mails_of_customer ON ${s}.mails (customer_id) WHERE customer_id IS NOT NULL;
`,
};
