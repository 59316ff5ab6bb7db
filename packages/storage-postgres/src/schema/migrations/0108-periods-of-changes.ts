import { lockBriefly, type Migration } from './migration.ts';

export const periodsOfChanges: Migration = {
  name: '0108-periods-of-changes',
  breaking: false,
  sql: (s) => `
${lockBriefly(`${s}.invoices`)}
-- The period of the subscription within which the invoice bills a change. Processes of the previous version leave it
-- out; then period_start finds the period.
ALTER TABLE ${s}.invoices ADD COLUMN changed_index integer;
`,
};
