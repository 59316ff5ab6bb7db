import { lockBriefly, type Migration } from './migration.ts';

export const makersOfCharges: Migration = {
  name: '0064-makers-of-charges',
  breaking: false,
  sql: (s) => `
-- As that of endpoints; null if an earlier version wrote the row, or nobody asked for it. Each table has a
-- migration of its own, so that none is locked while another is waited for.
${lockBriefly(`${s}.charges`)}
ALTER TABLE ${s}.charges ADD COLUMN created_by jsonb;
`,
};
