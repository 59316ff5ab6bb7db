import { lockBriefly, type Migration } from './migration.ts';

export const invoicesOfCharges: Migration = {
  name: '0092-invoices-of-charges',
  breaking: false,
  sql: (s) => `
-- Null if no invoice is paid by it, or if an earlier version wrote the row. The lock is held for a moment: the
-- index has a migration of its own, so that readers do not wait while it is built.
${lockBriefly(`${s}.charges`)}
ALTER TABLE ${s}.charges ADD COLUMN invoice_id text COLLATE "C";
`,
};
