import { lockBriefly, type Migration } from './migration.ts';

export const chargesOfInvoices: Migration = {
  name: '0093-charges-of-invoices',
  breaking: false,
  sql: (s) => `
${lockBriefly(`${s}.charges`, 'SHARE')}
-- No invoice is paid twice: of its charges, at most one is on its way or has succeeded.
CREATE UNIQUE INDEX charges_of_invoice ON ${s}.charges (account_id, livemode, invoice_id)
  WHERE invoice_id IS NOT NULL AND status IN ('pending', 'authorized', 'succeeded');
`,
};
