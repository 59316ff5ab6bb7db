import type { Migration } from './migration.ts';

export const endpointsThatWereQuick: Migration = {
  name: '0068-endpoints-that-were-quick',
  breaking: false,
  sql: (s) => `
-- Whether an endpoint of the slow lane had accepted an event before it became slow. Workers set it with the
-- lane, and ask such endpoints first whether they are back.
ALTER TABLE ${s}.webhook_endpoints ADD COLUMN was_quick boolean NOT NULL DEFAULT false;
`,
};
