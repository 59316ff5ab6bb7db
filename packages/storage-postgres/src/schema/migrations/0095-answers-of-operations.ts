import { lockBriefly, type Migration } from './migration.ts';

export const answersOfOperations: Migration = {
  name: '0095-answers-of-operations',
  breaking: false,
  sql: (s) => `
-- What the answer that is stored under its key shows; null: what the operation is about.
${lockBriefly(`${s}.operations`)}
ALTER TABLE ${s}.operations ADD COLUMN answers text;
`,
};
