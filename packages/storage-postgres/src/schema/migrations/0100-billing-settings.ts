import { lockBriefly, type Migration } from './migration.ts';

export const billingSettings: Migration = {
  name: '0100-billing-settings',
  breaking: false,
  sql: (s) => `
${lockBriefly(`${s}.accounts`)}
-- How the subscriptions of an account are billed.
ALTER TABLE ${s}.accounts
  ADD COLUMN after_last_attempt text NOT NULL DEFAULT 'cancel',
  ADD COLUMN catch_up text NOT NULL DEFAULT 'bill_all',
  ADD COLUMN cancels_on_dispute boolean NOT NULL DEFAULT false,
  ADD COLUMN charges_per_second integer NOT NULL DEFAULT 20,
  ADD CONSTRAINT accounts_billing_settings CHECK (
    after_last_attempt IN ('cancel', 'leave_unpaid') AND catch_up IN ('bill_all', 'bill_latest')
    AND charges_per_second BETWEEN 1 AND 1000);
`,
};
