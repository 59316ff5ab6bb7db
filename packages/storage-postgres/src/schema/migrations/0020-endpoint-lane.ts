import type { Migration } from './migration.ts';

export const endpointLane: Migration = {
  name: '0020-endpoint-lane',
  breaking: false,
  sql: (s) => `
-- Which slots of a worker sends to the endpoint take. Workers change it, without a new version.
ALTER TABLE ${s}.webhook_endpoints ADD COLUMN lane text NOT NULL DEFAULT 'fast'
  CONSTRAINT webhook_endpoints_lane CHECK (lane IN ('fast', 'slow'));
`,
};
