import type { Migration } from './migration.ts';

export const makersOfObjects: Migration = {
  name: '0064-makers-of-objects',
  breaking: false,
  sql: (s) =>
    ['charges', 'refunds', 'payouts', 'bank_accounts', 'files', 'replays', 'test_clocks']
      .map((table) => `ALTER TABLE ${s}.${table} ADD COLUMN created_by jsonb;`)
      .join('\n'),
};
