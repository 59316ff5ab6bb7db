import { lockBriefly, type Migration } from './migration.ts';

export const makersOfTestClocks: Migration = {
  name: '0081-makers-of-test-clocks',
  breaking: false,
  sql: (s) => `
${lockBriefly(`${s}.test_clocks`)}
ALTER TABLE ${s}.test_clocks ADD COLUMN created_by jsonb;
`,
};
