import type { Migration } from './migration.ts';

export const attachedMethods: Migration = {
  name: '0032-attached-methods',
  breaking: false,
  // No row has a customer yet, so nothing of the constraints must be validated.
  sql: (s) => `
ALTER TABLE ${s}.payment_methods
  ADD COLUMN customer_id text COLLATE "C",
  ADD COLUMN detached_at timestamptz,
  ADD FOREIGN KEY (account_id, livemode, customer_id) REFERENCES ${s}.customers NOT VALID,
  ADD CONSTRAINT payment_methods_one_use
    CHECK (num_nonnulls(consumed_by, customer_id, detached_at) <= 1) NOT VALID;
CREATE INDEX payment_methods_of_customer
  ON ${s}.payment_methods (account_id, livemode, customer_id, created, id)
  WHERE customer_id IS NOT NULL;

ALTER TABLE ${s}.charges
  ADD COLUMN customer_id text COLLATE "C",
  ADD FOREIGN KEY (account_id, livemode, customer_id) REFERENCES ${s}.customers NOT VALID;
CREATE INDEX charges_of_customer
  ON ${s}.charges (account_id, livemode, customer_id, created, id)
  WHERE customer_id IS NOT NULL;
`,
};
