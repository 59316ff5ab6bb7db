import type { Migration } from './migration.ts';

export const invoices: Migration = {
  name: '0091-invoices',
  breaking: false,
  sql: (s) => `
CREATE FUNCTION ${s}.sum_of_lines(lines jsonb) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT coalesce(sum((line ->> 'amount')::bigint), 0)::bigint FROM jsonb_array_elements(lines) line $$;

CREATE TABLE ${s}.invoices (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL REFERENCES ${s}.accounts,
  livemode boolean NOT NULL,
  version integer NOT NULL,
  customer_id text COLLATE "C" NOT NULL,
  subscription_id text COLLATE "C",
  period_index integer,
  billing_reason text NOT NULL,
  currency text NOT NULL,
  collection_method text NOT NULL,
  auto_advance boolean NOT NULL,
  days_until_due integer,
  due_date timestamptz,
  default_payment_method_id text COLLATE "C",
  description text,
  footer text,
  metadata jsonb NOT NULL,
  lines jsonb NOT NULL,
  total bigint NOT NULL,
  period_start timestamptz NOT NULL,
  period_end timestamptz NOT NULL,
  attempt_count integer NOT NULL,
  charge_id text COLLATE "C",
  created timestamptz NOT NULL,
  is_abandoned boolean NOT NULL,
  marked_uncollectible_at timestamptz,
  next_action_at timestamptz,
  created_by jsonb,
  status text NOT NULL,
  number bigint,
  starting_balance bigint,
  ending_balance bigint,
  amount_due bigint,
  issued_to jsonb,
  finalized_at timestamptz,
  paid_at timestamptz,
  paid_out_of_band boolean NOT NULL,
  voided_at timestamptz,
  deleted_at timestamptz,
  test_clock_id text COLLATE "C",
  PRIMARY KEY (account_id, livemode, id),
  FOREIGN KEY (account_id, livemode, customer_id) REFERENCES ${s}.customers,
  CONSTRAINT invoices_number UNIQUE (account_id, livemode, number),
  CONSTRAINT invoices_status
    CHECK (status IN ('draft', 'deleted', 'open', 'paid', 'void', 'uncollectible')),
  CONSTRAINT invoices_total CHECK (total = ${s}.sum_of_lines(lines)),
  -- A draft has none of what an invoice gets when it is issued, and an issued one has all of it.
  CONSTRAINT invoices_issued CHECK (num_nonnulls(number, starting_balance, ending_balance,
    amount_due, issued_to, finalized_at) = CASE WHEN status IN ('draft', 'deleted') THEN 0 ELSE 6 END),
  -- What is due and what is left of the balance are the total and the balance before.
  CONSTRAINT invoices_balance CHECK (amount_due BETWEEN 0 AND 99999999
    AND amount_due + ending_balance = total + starting_balance
    AND (amount_due = 0 OR ending_balance >= 0)),
  CONSTRAINT invoices_paid CHECK ((status = 'paid') = (paid_at IS NOT NULL)),
  CONSTRAINT invoices_out_of_band CHECK (NOT paid_out_of_band OR status = 'paid'),
  CONSTRAINT invoices_void CHECK ((status = 'void') = (voided_at IS NOT NULL)),
  CONSTRAINT invoices_deleted CHECK ((status = 'deleted') = (deleted_at IS NOT NULL))
) WITH (fillfactor = 80);
CREATE INDEX invoices_in_time ON ${s}.invoices (account_id, livemode, created, id)
  WHERE status <> 'deleted' AND test_clock_id IS NULL;
CREATE INDEX invoices_by_customer ON ${s}.invoices (account_id, livemode, customer_id, created, id);
CREATE INDEX invoices_by_subscription
  ON ${s}.invoices (account_id, livemode, subscription_id, created, id)
  WHERE subscription_id IS NOT NULL;
CREATE INDEX invoices_by_status ON ${s}.invoices (account_id, livemode, status, created, id)
  WHERE status IN ('draft', 'open', 'uncollectible') AND test_clock_id IS NULL;
CREATE INDEX invoices_charged ON ${s}.invoices (account_id, livemode, id)
  WHERE status = 'open' AND charge_id IS NOT NULL;
CREATE INDEX invoices_by_clock ON ${s}.invoices (account_id, livemode, test_clock_id, created, id)
  WHERE test_clock_id IS NOT NULL;
CREATE INDEX invoices_due ON ${s}.invoices (next_action_at, id)
  WHERE next_action_at IS NOT NULL AND test_clock_id IS NULL;
CREATE INDEX invoices_due_by_account ON ${s}.invoices (account_id, livemode, next_action_at, id)
  WHERE next_action_at IS NOT NULL AND test_clock_id IS NULL;
CREATE INDEX invoices_due_on_clock ON ${s}.invoices (test_clock_id, next_action_at, id)
  WHERE next_action_at IS NOT NULL AND test_clock_id IS NOT NULL;

-- What was issued is what the customer has in hand.
CREATE FUNCTION ${s}.invoices_never_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'The lines, amounts, number and customer of an issued invoice never change.'
    USING ERRCODE = '23514', CONSTRAINT = 'invoices_never_change';
END $$;
CREATE TRIGGER invoices_never_change BEFORE UPDATE ON ${s}.invoices FOR EACH ROW
  WHEN (OLD.number IS NOT NULL AND (
    NEW.number IS DISTINCT FROM OLD.number OR NEW.lines IS DISTINCT FROM OLD.lines
    OR NEW.total <> OLD.total OR NEW.currency <> OLD.currency OR NEW.customer_id <> OLD.customer_id
    OR NEW.starting_balance IS DISTINCT FROM OLD.starting_balance
    OR NEW.ending_balance IS DISTINCT FROM OLD.ending_balance
    OR NEW.amount_due IS DISTINCT FROM OLD.amount_due
    OR OLD.status IN ('paid', 'void') AND NEW.status <> OLD.status))
  EXECUTE FUNCTION ${s}.invoices_never_change();

-- The last number that was given. Whoever issues an invoice holds the row until the commit, so a
-- number that is not used is given again.
CREATE TABLE ${s}.invoice_numbers (
  account_id text COLLATE "C" NOT NULL REFERENCES ${s}.accounts,
  livemode boolean NOT NULL,
  last bigint NOT NULL,
  PRIMARY KEY (account_id, livemode)
) WITH (fillfactor = 50);

CREATE TABLE ${s}.invoice_items (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL REFERENCES ${s}.accounts,
  livemode boolean NOT NULL,
  version integer NOT NULL,
  customer_id text COLLATE "C" NOT NULL,
  currency text NOT NULL,
  unit_amount bigint NOT NULL,
  quantity integer NOT NULL,
  amount bigint NOT NULL,
  description text NOT NULL,
  price_id text COLLATE "C",
  period_start timestamptz NOT NULL,
  period_end timestamptz NOT NULL,
  is_proration boolean NOT NULL,
  invoice_id text COLLATE "C",
  subscription_id text COLLATE "C",
  subscription_item_id text COLLATE "C",
  metadata jsonb NOT NULL,
  created timestamptz NOT NULL,
  deleted_at timestamptz,
  test_clock_id text COLLATE "C",
  PRIMARY KEY (account_id, livemode, id),
  FOREIGN KEY (account_id, livemode, customer_id) REFERENCES ${s}.customers,
  -- An invoice takes what waits before its own row is written, in the same transaction.
  FOREIGN KEY (account_id, livemode, invoice_id) REFERENCES ${s}.invoices
    DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT invoice_items_amount
    CHECK (amount = unit_amount * quantity AND amount BETWEEN -99999999 AND 99999999),
  CONSTRAINT invoice_items_period CHECK (period_start <= period_end)
) WITH (fillfactor = 80);
CREATE INDEX invoice_items_in_time ON ${s}.invoice_items (account_id, livemode, created, id)
  WHERE deleted_at IS NULL AND test_clock_id IS NULL;
CREATE INDEX invoice_items_by_customer
  ON ${s}.invoice_items (account_id, livemode, customer_id, created, id);
CREATE INDEX invoice_items_waiting ON ${s}.invoice_items (account_id, livemode, customer_id, id)
  WHERE invoice_id IS NULL AND deleted_at IS NULL;
CREATE INDEX invoice_items_by_invoice ON ${s}.invoice_items (account_id, livemode, invoice_id)
  WHERE invoice_id IS NOT NULL;
CREATE INDEX invoice_items_by_clock
  ON ${s}.invoice_items (account_id, livemode, test_clock_id, created, id)
  WHERE test_clock_id IS NOT NULL;
`,
};
