import type { Migration } from './migration.ts';

export const correctablePaymentMethods: Migration = {
  name: '0060-correctable-payment-methods',
  breaking: false,
  sql: (s) => `
-- The correction of a bank account reaches every payment method of it: the number of one that was used, or
-- detached, is still sent with refunds. Cards that are not attached write nothing here.
CREATE INDEX payment_methods_correctable ON ${s}.payment_methods USING hash (processor_token)
  WHERE customer_id IS NOT NULL OR us_bank_account IS NOT NULL;
DROP INDEX ${s}.payment_methods_by_token;
`,
};
