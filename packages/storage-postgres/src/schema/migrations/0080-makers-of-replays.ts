import { lockBriefly, type Migration } from './migration.ts';

export const makersOfReplays: Migration = {
  name: '0080-makers-of-replays',
  breaking: false,
  sql: (s) => `
${lockBriefly(`${s}.replays`)}
ALTER TABLE ${s}.replays ADD COLUMN created_by jsonb;
`,
};
