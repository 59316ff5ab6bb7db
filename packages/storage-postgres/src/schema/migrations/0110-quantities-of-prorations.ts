import { lockBriefly, type Migration } from './migration.ts';

export const quantitiesOfProrations: Migration = {
  name: '0110-quantities-of-prorations',
  breaking: false,
  sql: (s) => `
${lockBriefly(`${s}.invoice_items`)}
-- How many of a price a proration is for; its amount is of all of them. Null: a caller made the item, or a process of
-- the previous version.
ALTER TABLE ${s}.invoice_items ADD COLUMN sold_quantity integer;
`,
};
