import type { Migration } from './migration.ts';

export const forgottenPaymentMethods: Migration = {
  name: '0061-forgotten-payment-methods',
  breaking: false,
  sql: (s) => `
-- What was detached before its customer was deleted kept what it says about a person, and nothing but its
-- id leads there.
UPDATE ${s}.payment_methods SET version = version + 1,
    billing_details = '{"name":null,"email":null,"phone":null,"address":null}', metadata = '{}',
    us_bank_account = us_bank_account || '{"accountHolderName":null}'
  WHERE detached_at IS NOT NULL
    AND (billing_details <> '{"name":null,"email":null,"phone":null,"address":null}'
      OR metadata <> '{}' OR us_bank_account ->> 'accountHolderName' IS NOT NULL);

-- A bank account that nobody used is erased. The first constraint also keeps processes of an earlier
-- version, which do not know the column, from using it.
ALTER TABLE ${s}.payment_methods
  ADD COLUMN erased_at timestamptz,
  DROP CONSTRAINT payment_methods_one_use,
  ADD CONSTRAINT payment_methods_one_use
    CHECK (num_nonnulls(consumed_by, customer_id, detached_at, erased_at) <= 1) NOT VALID,
  ADD CONSTRAINT payment_methods_erased_are_blank CHECK (erased_at IS NULL
    OR num_nonnulls(sealed_number, kid, us_bank_account ->> 'accountHolderName') = 0
      AND billing_details = '{"name":null,"email":null,"phone":null,"address":null}'
      AND metadata = '{}') NOT VALID;
-- Workers find here the bank accounts that nobody has used. Cards are not in it.
CREATE INDEX payment_methods_unused ON ${s}.payment_methods (created)
  WHERE us_bank_account IS NOT NULL AND consumed_by IS NULL AND customer_id IS NULL
    AND detached_at IS NULL AND erased_at IS NULL;
`,
};
