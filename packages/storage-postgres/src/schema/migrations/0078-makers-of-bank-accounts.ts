import { lockBriefly, type Migration } from './migration.ts';

export const makersOfBankAccounts: Migration = {
  name: '0078-makers-of-bank-accounts',
  breaking: false,
  sql: (s) => `
${lockBriefly(`${s}.bank_accounts`)}
ALTER TABLE ${s}.bank_accounts ADD COLUMN created_by jsonb;
`,
};
