import type { Migration } from './migration.ts';

export const promisedOutcomes: Migration = {
  name: '0051-promised-outcomes',
  breaking: false,
  sql: (s) => `
-- When the processor promised to know an outcome: one that it puts off again and again is told to a person.
ALTER TABLE ${s}.operations ADD COLUMN expected_by timestamptz;
`,
};
