import type { Migration } from './migration.ts';

export const payouts: Migration = {
  name: '0037-payouts',
  breaking: false,
  sql: (s) => `
ALTER TABLE ${s}.accounts
  ADD COLUMN payouts_enabled boolean NOT NULL DEFAULT true,
  ADD COLUMN payout_schedule jsonb NOT NULL DEFAULT '{"interval": "manual", "delayDays": 2}';

CREATE TABLE ${s}.bank_accounts (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL REFERENCES ${s}.accounts,
  livemode boolean NOT NULL,
  version integer NOT NULL,
  status text NOT NULL,
  bank_name text,
  last4 text NOT NULL,
  routing_number text,
  fingerprint text NOT NULL,
  country text NOT NULL,
  currency text NOT NULL,
  account_holder_name text,
  account_holder_type text,
  is_default boolean NOT NULL,
  sealed_number text,
  kid text COLLATE "C",
  failure_code text,
  failure_message text,
  metadata jsonb NOT NULL,
  created timestamptz NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (account_id, livemode, id),
  CONSTRAINT bank_accounts_state CHECK (status IN ('new', 'errored', 'deleted')
    AND (status = 'errored') = (failure_code IS NOT NULL)
    AND (status = 'deleted') = (deleted_at IS NOT NULL)
    AND (status = 'deleted') = (sealed_number IS NULL)
    AND (sealed_number IS NULL) = (kid IS NULL)
    AND NOT (status = 'deleted' AND is_default))
);
CREATE UNIQUE INDEX bank_accounts_one_default
  ON ${s}.bank_accounts (account_id, livemode, currency) WHERE is_default;
CREATE INDEX bank_accounts_by_created ON ${s}.bank_accounts (account_id, livemode, created, id)
  WHERE deleted_at IS NULL;
-- Resealing finds the numbers of a key here.
CREATE INDEX bank_accounts_sealed ON ${s}.bank_accounts (kid, account_id, livemode, id)
  WHERE kid IS NOT NULL;

CREATE TABLE ${s}.payouts (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL REFERENCES ${s}.accounts,
  livemode boolean NOT NULL,
  version integer NOT NULL,
  status text NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  currency text NOT NULL,
  arrival_date timestamptz NOT NULL,
  automatic boolean NOT NULL,
  destination_id text COLLATE "C" NOT NULL,
  balance_transaction_id text COLLATE "C" NOT NULL,
  processor_name text NOT NULL,
  statement_descriptor text,
  description text,
  failure_code text,
  failure_message text,
  failure_balance_transaction_id text COLLATE "C",
  metadata jsonb NOT NULL,
  created timestamptz NOT NULL,
  PRIMARY KEY (account_id, livemode, id),
  FOREIGN KEY (account_id, livemode, destination_id) REFERENCES ${s}.bank_accounts,
  CONSTRAINT payouts_state CHECK (
    status IN ('pending', 'in_transit', 'paid', 'failed', 'canceled')
    AND (status = 'failed') = (failure_code IS NOT NULL)
    AND (status IN ('failed', 'canceled')) = (failure_balance_transaction_id IS NOT NULL))
) WITH (fillfactor = 80);
CREATE INDEX payouts_by_created ON ${s}.payouts (account_id, livemode, created, id);
CREATE INDEX payouts_of_destination
  ON ${s}.payouts (account_id, livemode, destination_id, created, id);
CREATE INDEX payouts_unfinished ON ${s}.payouts (account_id, livemode, destination_id)
  WHERE status IN ('pending', 'in_transit');
`,
};
