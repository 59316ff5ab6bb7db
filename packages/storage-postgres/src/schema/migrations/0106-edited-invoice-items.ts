import { lockBriefly, type Migration } from './migration.ts';

export const editedInvoiceItems: Migration = {
  name: '0106-edited-invoice-items',
  breaking: false,
  sql: (s) => `
${lockBriefly(`${s}.invoice_items`)}
-- A caller has changed or deleted it. Null: it is not known, because a process of the previous version wrote the row.
ALTER TABLE ${s}.invoice_items ADD COLUMN is_edited boolean;
`,
};
