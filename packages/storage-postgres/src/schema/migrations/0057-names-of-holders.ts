import type { Migration } from './migration.ts';

export const namesOfHolders: Migration = {
  name: '0057-names-of-holders',
  breaking: false,
  sql: (s) => `
-- Deleting a customer left the names of the holders of its bank accounts. A payment method that was
-- detached with its customer has no name in its billing details either.
UPDATE ${s}.payment_methods SET us_bank_account = us_bank_account || '{"accountHolderName":null}'
  WHERE detached_at IS NOT NULL AND us_bank_account ->> 'accountHolderName' IS NOT NULL
    AND billing_details ->> 'name' IS NULL;
-- A token that was used has passed on its name and its number.
UPDATE ${s}.tokens SET us_bank_account = us_bank_account || '{"accountHolderName":null}',
    sealed_number = NULL, kid = NULL
  WHERE used AND us_bank_account IS NOT NULL;
`,
};
