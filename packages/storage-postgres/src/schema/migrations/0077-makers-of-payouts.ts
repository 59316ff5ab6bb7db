import { lockBriefly, type Migration } from './migration.ts';

export const makersOfPayouts: Migration = {
  name: '0077-makers-of-payouts',
  breaking: false,
  sql: (s) => `
${lockBriefly(`${s}.payouts`)}
ALTER TABLE ${s}.payouts ADD COLUMN created_by jsonb;
`,
};
