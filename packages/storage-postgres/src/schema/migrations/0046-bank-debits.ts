import type { Migration } from './migration.ts';

export const bankDebits: Migration = {
  name: '0046-bank-debits',
  breaking: false,
  sql: (s) => `
ALTER TABLE ${s}.payment_methods
  ALTER COLUMN card DROP NOT NULL,
  ADD COLUMN us_bank_account jsonb,
  ADD COLUMN sealed_number text,
  ADD COLUMN kid text COLLATE "C",
  ADD COLUMN mandate jsonb,
  ADD COLUMN blocked jsonb;
ALTER TABLE ${s}.tokens
  ALTER COLUMN card DROP NOT NULL,
  ADD COLUMN us_bank_account jsonb,
  ADD COLUMN sealed_number text,
  ADD COLUMN kid text COLLATE "C";
ALTER TABLE ${s}.charges
  ALTER COLUMN card DROP NOT NULL,
  ADD COLUMN us_bank_account jsonb;
-- Resealing finds the numbers of a key here. Cards have none, so they write nothing.
CREATE INDEX payment_methods_sealed ON ${s}.payment_methods (kid, account_id, livemode, id)
  WHERE kid IS NOT NULL;
CREATE INDEX tokens_sealed ON ${s}.tokens (kid, account_id, livemode, id) WHERE kid IS NOT NULL;
-- What is pending of bank debits is summed for the balance. Captures of cards write nothing.
CREATE INDEX balance_transactions_pending_payments
  ON ${s}.balance_transactions (account_id, livemode, currency)
  WHERE status = 'pending' AND type = 'payment';
`,
};
