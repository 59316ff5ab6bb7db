import { lockBriefly, type Migration } from './migration.ts';

export const workOfBilling: Migration = {
  name: '0103-work-of-billing',
  breaking: false,
  sql: (s) => `
${lockBriefly(`${s}.subscriptions`)}
-- A worker must look at it because of its customer or of a dispute, also if nothing is due.
ALTER TABLE ${s}.subscriptions ADD COLUMN is_woken boolean NOT NULL DEFAULT false;

${lockBriefly(`${s}.invoices`)}
-- Why what it took after the end of its subscription could not be given back.
ALTER TABLE ${s}.invoices ADD COLUMN refund_failure text;

-- Invoices that may have a result of their charge which a process of the previous version recorded.
CREATE INDEX invoices_charged_unpaid ON ${s}.invoices (account_id, livemode, id)
  WHERE status IN ('open', 'uncollectible') AND charge_id IS NOT NULL;
DROP INDEX ${s}.invoices_charged;
`,
};
