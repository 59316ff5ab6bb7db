import type { Migration } from './migration.ts';

export const methodsByToken: Migration = {
  name: '0033-methods-by-token',
  breaking: false,
  // A token may be longer than an entry of a B-tree. Most payment methods pay one charge and are not
  // saved, so that charges write nothing here.
  sql: (s) => `
CREATE INDEX payment_methods_by_token ON ${s}.payment_methods USING hash (processor_token)
  WHERE customer_id IS NOT NULL;
`,
};
