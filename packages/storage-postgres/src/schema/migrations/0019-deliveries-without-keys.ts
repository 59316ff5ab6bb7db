import type { Migration } from './migration.ts';

export const deliveriesWithoutKeys: Migration = {
  name: '0019-deliveries-without-keys',
  breaking: false,
  sql: (s) => `
-- One statement writes an event with its deliveries, and endpoints are never removed. The checks of
-- these keys cost each delivery two look-ups and two locks; paymount verify checks the same.
ALTER TABLE ${s}.deliveries
  DROP CONSTRAINT deliveries_account_id_livemode_event_id_fkey,
  DROP CONSTRAINT deliveries_account_id_livemode_endpoint_id_fkey;
`,
};
