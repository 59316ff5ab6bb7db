import { lockBriefly, type Migration } from './migration.ts';

export const makersOfRefunds: Migration = {
  name: '0076-makers-of-refunds',
  breaking: false,
  sql: (s) => `
${lockBriefly(`${s}.refunds`)}
ALTER TABLE ${s}.refunds ADD COLUMN created_by jsonb;
`,
};
