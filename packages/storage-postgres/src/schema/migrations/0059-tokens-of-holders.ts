import type { Migration } from './migration.ts';

export const tokensOfHolders: Migration = {
  name: '0059-tokens-of-holders',
  breaking: false,
  sql: (s) => `
-- Workers find here the bank tokens that expired and still have a number or the name of a holder. Tokens
-- of cards, and tokens that were used, are not in it.
CREATE INDEX tokens_of_holders ON ${s}.tokens (expires_at)
  WHERE us_bank_account IS NOT NULL
    AND (kid IS NOT NULL OR us_bank_account ->> 'accountHolderName' IS NOT NULL);
`,
};
