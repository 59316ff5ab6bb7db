import { lockBriefly, type Migration } from './migration.ts';

export const announcedFailures: Migration = {
  name: '0105-announced-failures',
  breaking: false,
  sql: (s) => `
${lockBriefly(`${s}.invoices`)}
-- \`subscription.payment_failed\` was recorded for its period, so \`subscription.renewed\` is not. A process of the previous
-- version does not set it.
ALTER TABLE ${s}.invoices ADD COLUMN is_failure_announced boolean;
`,
};
