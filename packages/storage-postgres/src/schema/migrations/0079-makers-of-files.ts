import { lockBriefly, type Migration } from './migration.ts';

export const makersOfFiles: Migration = {
  name: '0079-makers-of-files',
  breaking: false,
  sql: (s) => `
${lockBriefly(`${s}.files`)}
ALTER TABLE ${s}.files ADD COLUMN created_by jsonb;
`,
};
