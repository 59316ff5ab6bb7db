import type { Migration } from './migration.ts';

export const listIndexes: Migration = {
  name: '0014-list-indexes',
  breaking: false,
  sql: (s) => `
-- Lists are in order of created, so that bounds on it are a range of an index.
CREATE INDEX charges_by_created ON ${s}.charges (account_id, livemode, created, id);
-- The predicates say what a status is in words of columns that the common way of a charge, pending
-- to succeeded, leaves alone: its update stays within its page.
CREATE INDEX charges_authorized ON ${s}.charges (account_id, livemode, created, id)
  WHERE capture_before IS NOT NULL;
CREATE INDEX charges_failed ON ${s}.charges (account_id, livemode, created, id)
  WHERE failure IS NOT NULL;
CREATE INDEX charges_canceled ON ${s}.charges (account_id, livemode, created, id)
  WHERE canceled_at IS NOT NULL;
-- Pending charges are found by their open operations.
DROP INDEX ${s}.operations_of_charge;
CREATE INDEX operations_of_charge ON ${s}.operations (account_id, livemode, charge_id)
  WHERE state IN ('created', 'sent', 'unknown', 'quarantined');
CREATE INDEX refunds_by_created ON ${s}.refunds (account_id, livemode, created, id);
-- These serve lists of all types too: one range for each type, of which there are few.
CREATE INDEX balance_transactions_by_created
  ON ${s}.balance_transactions (account_id, livemode, currency, type, created, id);
CREATE INDEX events_by_created ON ${s}.events (account_id, livemode, type, created, id);
`,
};
