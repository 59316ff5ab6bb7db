import type { Migration } from './migration.ts';

export const subscriptions: Migration = {
  name: '0094-subscriptions',
  breaking: false,
  sql: (s) => `
CREATE TABLE ${s}.subscriptions (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL REFERENCES ${s}.accounts,
  livemode boolean NOT NULL,
  version integer NOT NULL,
  customer_id text COLLATE "C" NOT NULL,
  currency text NOT NULL,
  items jsonb NOT NULL,
  calendar jsonb NOT NULL,
  period jsonb NOT NULL,
  start_date timestamptz NOT NULL,
  free_until timestamptz,
  trial jsonb,
  cancel_at timestamptz,
  cancel_at_period_end boolean NOT NULL,
  cancel_proration text NOT NULL,
  canceled_at timestamptz,
  cancellation jsonb NOT NULL,
  pending_update jsonb,
  latest_invoice_id text COLLATE "C",
  charging_invoice_id text COLLATE "C",
  announced_index integer,
  collection_method text NOT NULL,
  days_until_due integer,
  default_payment_method_id text COLLATE "C",
  description text,
  metadata jsonb NOT NULL,
  trial_end_behavior text NOT NULL,
  pause_collection jsonb,
  created timestamptz NOT NULL,
  created_by jsonb,
  status text NOT NULL,
  state jsonb NOT NULL,
  next_action_at timestamptz,
  test_clock_id text COLLATE "C",
  PRIMARY KEY (account_id, livemode, id),
  FOREIGN KEY (account_id, livemode, customer_id) REFERENCES ${s}.customers,
  -- Each state has exactly its own fields.
  CONSTRAINT subscriptions_state CHECK (CASE status
    WHEN 'trialing' THEN state = '{}'
    WHEN 'active' THEN state = '{}'
    WHEN 'incomplete' THEN state ? 'expiresAt'
    WHEN 'past_due' THEN state ? 'dunning'
    WHEN 'unpaid' THEN state ? 'dunning'
    WHEN 'paused' THEN state ? 'pausedAt'
    WHEN 'canceled' THEN state ? 'endedAt'
    WHEN 'incomplete_expired' THEN state ? 'endedAt'
    ELSE false END),
  -- Nothing is due of one that is over.
  CONSTRAINT subscriptions_over
    CHECK (status NOT IN ('canceled', 'incomplete_expired') OR next_action_at IS NULL),
  CONSTRAINT subscriptions_items CHECK (jsonb_array_length(items) BETWEEN 1 AND 20)
) WITH (fillfactor = 70);
CREATE INDEX subscriptions_in_time ON ${s}.subscriptions (account_id, livemode, created, id)
  WHERE test_clock_id IS NULL;
CREATE INDEX subscriptions_by_customer
  ON ${s}.subscriptions (account_id, livemode, customer_id, created, id);
CREATE INDEX subscriptions_by_clock
  ON ${s}.subscriptions (account_id, livemode, test_clock_id, created, id)
  WHERE test_clock_id IS NOT NULL;
CREATE INDEX subscriptions_due ON ${s}.subscriptions (next_action_at, id)
  WHERE next_action_at IS NOT NULL AND test_clock_id IS NULL;
CREATE INDEX subscriptions_due_by_account
  ON ${s}.subscriptions (account_id, livemode, next_action_at, id)
  WHERE next_action_at IS NOT NULL AND test_clock_id IS NULL;
CREATE INDEX subscriptions_due_on_clock ON ${s}.subscriptions (test_clock_id, next_action_at, id)
  WHERE next_action_at IS NOT NULL AND test_clock_id IS NOT NULL;

-- One row for each period; an index is billed once.
CREATE TABLE ${s}.billing_periods (
  account_id text COLLATE "C" NOT NULL,
  livemode boolean NOT NULL,
  subscription_id text COLLATE "C" NOT NULL,
  index integer NOT NULL,
  starts_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL,
  invoice_id text COLLATE "C",
  is_billed boolean NOT NULL,
  PRIMARY KEY (account_id, livemode, subscription_id, index),
  FOREIGN KEY (account_id, livemode, subscription_id) REFERENCES ${s}.subscriptions,
  CONSTRAINT billing_periods_time CHECK (starts_at <= ends_at),
  CONSTRAINT billing_periods_index CHECK (index >= 0)
) WITH (fillfactor = 90);

-- Finds subscriptions by item and by price. A trigger keeps it.
CREATE TABLE ${s}.subscription_items (
  account_id text COLLATE "C" NOT NULL,
  livemode boolean NOT NULL,
  id text COLLATE "C" NOT NULL,
  subscription_id text COLLATE "C" NOT NULL,
  price_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, livemode, id),
  FOREIGN KEY (account_id, livemode, subscription_id) REFERENCES ${s}.subscriptions
);
CREATE INDEX subscription_items_by_subscription
  ON ${s}.subscription_items (account_id, livemode, subscription_id);
CREATE INDEX subscription_items_by_price
  ON ${s}.subscription_items (account_id, livemode, price_id, subscription_id);

CREATE FUNCTION ${s}.keep_subscription_items() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  DELETE FROM ${s}.subscription_items WHERE account_id = NEW.account_id AND livemode = NEW.livemode
    AND subscription_id = NEW.id;
  INSERT INTO ${s}.subscription_items (account_id, livemode, id, subscription_id, price_id)
    SELECT NEW.account_id, NEW.livemode, item ->> 'id', NEW.id, item ->> 'priceId'
    FROM jsonb_array_elements(NEW.items) item;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION ${s}.keep_subscription_items() FROM PUBLIC;
CREATE TRIGGER keep_new_subscription_items AFTER INSERT ON ${s}.subscriptions FOR EACH ROW
  EXECUTE FUNCTION ${s}.keep_subscription_items();
-- What was billed for an item changes with every period, and what it is seldom.
CREATE TRIGGER keep_subscription_items AFTER UPDATE OF items ON ${s}.subscriptions FOR EACH ROW
  WHEN (jsonb_path_query_array(OLD.items, '$[*].priceId') <> jsonb_path_query_array(NEW.items, '$[*].priceId')
    OR jsonb_path_query_array(OLD.items, '$[*].id') <> jsonb_path_query_array(NEW.items, '$[*].id'))
  EXECUTE FUNCTION ${s}.keep_subscription_items();

-- A worker looks at once at the subscriptions of a customer who is deleted, or has another payment method.
CREATE FUNCTION ${s}.wake_subscriptions() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- One that is locked is being billed just now, by somebody who waits for the customer's row. It finds out
  -- when it is due the next time.
  UPDATE ${s}.subscriptions u SET next_action_at = u.created
    FROM (SELECT account_id, livemode, id FROM ${s}.subscriptions
      WHERE account_id = NEW.account_id AND livemode = NEW.livemode AND customer_id = NEW.id
        AND status NOT IN ('canceled', 'incomplete_expired')
        AND (NEW.deleted_at IS NOT NULL OR status = 'past_due' AND next_action_at IS NOT NULL)
      FOR NO KEY UPDATE SKIP LOCKED) woken
    WHERE (u.account_id, u.livemode, u.id) = (woken.account_id, woken.livemode, woken.id);
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION ${s}.wake_subscriptions() FROM PUBLIC;
CREATE TRIGGER wake_subscriptions AFTER UPDATE OF default_payment_method_id, deleted_at
  ON ${s}.customers FOR EACH ROW
  WHEN (NEW.default_payment_method_id IS DISTINCT FROM OLD.default_payment_method_id
    OR NEW.deleted_at IS DISTINCT FROM OLD.deleted_at)
  EXECUTE FUNCTION ${s}.wake_subscriptions();
`,
};
