import type { Migration } from './migration.ts';

export const charges: Migration = {
  name: '0002-charges',
  breaking: false,
  // A CHECK costs microseconds in every write of the hot path, so what is checked is what money
  // and the states hang on, in one constraint each; the closed lists of words are the core's.
  sql: (s) => `
CREATE TABLE ${s}.payment_methods (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL REFERENCES ${s}.accounts,
  livemode boolean NOT NULL,
  version integer NOT NULL,
  type text NOT NULL,
  card jsonb NOT NULL,
  processor_token text NOT NULL,
  billing_details jsonb NOT NULL,
  metadata jsonb NOT NULL,
  consumed_by text COLLATE "C",
  created timestamptz NOT NULL,
  PRIMARY KEY (account_id, livemode, id)
) WITH (fillfactor = 80);

CREATE TABLE ${s}.tokens (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL REFERENCES ${s}.accounts,
  livemode boolean NOT NULL,
  version integer NOT NULL,
  type text NOT NULL,
  card jsonb NOT NULL,
  processor_token text NOT NULL,
  used boolean NOT NULL,
  created timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, livemode, id)
) WITH (fillfactor = 80);

CREATE TABLE ${s}.charges (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  livemode boolean NOT NULL,
  version integer NOT NULL,
  status text NOT NULL,
  amount bigint NOT NULL,
  amount_captured bigint NOT NULL,
  amount_refunded bigint NOT NULL,
  currency text NOT NULL,
  capture_method text NOT NULL,
  capture_before timestamptz,
  captured_at timestamptz,
  canceled_at timestamptz,
  balance_transaction_id text COLLATE "C",
  payment_method_id text COLLATE "C" NOT NULL,
  card jsonb NOT NULL,
  processor_token text NOT NULL,
  network_transaction_id text,
  billing_details jsonb NOT NULL,
  outcome jsonb,
  failure jsonb,
  processor_name text NOT NULL,
  processor_reference text,
  description text,
  statement_descriptor text,
  receipt_email text,
  shipping jsonb,
  metadata jsonb NOT NULL,
  created timestamptz NOT NULL,
  PRIMARY KEY (account_id, livemode, id),
  FOREIGN KEY (account_id, livemode, payment_method_id) REFERENCES ${s}.payment_methods,
  CONSTRAINT charges_amounts_in_order CHECK (0 <= amount_refunded
    AND amount_refunded <= amount_captured AND amount_captured <= amount
    AND amount BETWEEN 1 AND 99999999 AND (status = 'succeeded') = (amount_captured > 0)),
  CONSTRAINT charges_state CHECK (
    status IN ('pending', 'authorized', 'succeeded', 'failed', 'canceled')
    AND (status = 'succeeded') = (captured_at IS NOT NULL)
    AND (status = 'authorized') = (capture_before IS NOT NULL)
    AND (status = 'failed') = (failure IS NOT NULL)
    AND (status = 'canceled') = (canceled_at IS NOT NULL))
) WITH (fillfactor = 70);
-- Its predicate names no column that the common way of a charge changes, which keeps updates cheap.
CREATE INDEX charges_capture_before ON ${s}.charges (capture_before)
  WHERE capture_before IS NOT NULL;

CREATE TABLE ${s}.refunds (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  livemode boolean NOT NULL,
  version integer NOT NULL,
  status text NOT NULL,
  charge_id text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  reason text,
  balance_transaction_id text COLLATE "C",
  failure_reason text,
  failure_balance_transaction_id text COLLATE "C",
  metadata jsonb NOT NULL,
  created timestamptz NOT NULL,
  PRIMARY KEY (account_id, livemode, id),
  FOREIGN KEY (account_id, livemode, charge_id) REFERENCES ${s}.charges,
  CONSTRAINT refunds_state CHECK (amount BETWEEN 1 AND 99999999
    AND status IN ('pending', 'succeeded', 'failed', 'canceled')
    AND (status = 'failed') = (failure_reason IS NOT NULL))
) WITH (fillfactor = 80);
CREATE INDEX refunds_of_charge ON ${s}.refunds (account_id, livemode, charge_id, id);
`,
};
