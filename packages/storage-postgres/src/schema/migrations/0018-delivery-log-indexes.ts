import type { Migration } from './migration.ts';

export const deliveryLogIndexes: Migration = {
  name: '0018-delivery-log-indexes',
  breaking: false,
  sql: (s) => `
-- Lists of deliveries are in order of created; each filter has an index that ends in that order.
CREATE INDEX deliveries_by_state ON ${s}.deliveries (account_id, livemode, state, created, id);
CREATE INDEX deliveries_of_endpoint_by_state ON ${s}.deliveries (endpoint_id, state, created, id);
CREATE INDEX deliveries_of_endpoint_by_type
  ON ${s}.deliveries (endpoint_id, event_type, created, id);
-- Only failed attempts write these.
CREATE INDEX deliveries_by_error ON ${s}.deliveries
  (account_id, livemode, last_error, (COALESCE(last_status, 0) / 100), created, id)
  WHERE last_error IS NOT NULL;
CREATE INDEX deliveries_of_endpoint_by_error ON ${s}.deliveries
  (endpoint_id, last_error, (COALESCE(last_status, 0) / 100), created, id)
  WHERE last_error IS NOT NULL;
-- Only replays write this.
CREATE INDEX deliveries_of_replay_by_state ON ${s}.deliveries (replay_id, state, id)
  WHERE replay_id IS NOT NULL;
CREATE INDEX replays_by_created ON ${s}.replays (account_id, livemode, created, id);
`,
};
