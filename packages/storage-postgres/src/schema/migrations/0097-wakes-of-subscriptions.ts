import type { Migration } from './migration.ts';

export const wakesOfSubscriptions: Migration = {
  name: '0097-wakes-of-subscriptions',
  breaking: false,
  sql: (s) => `
-- Customers who were deleted, or have another payment method: a worker looks at their subscriptions. Whoever
-- changes a customer must not wait for subscriptions that are being billed, which wait for the customer.
CREATE TABLE ${s}.subscription_wakes (
  account_id text COLLATE "C" NOT NULL,
  livemode boolean NOT NULL,
  customer_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, livemode, customer_id)
);

-- A row that is there already is written again, so that no worker takes it before this change is committed.
CREATE OR REPLACE FUNCTION ${s}.wake_subscriptions() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO ${s}.subscription_wakes (account_id, livemode, customer_id)
    SELECT NEW.account_id, NEW.livemode, NEW.id WHERE EXISTS (SELECT FROM ${s}.subscriptions
      WHERE account_id = NEW.account_id AND livemode = NEW.livemode AND customer_id = NEW.id
        AND status NOT IN ('canceled', 'incomplete_expired'))
    ON CONFLICT (account_id, livemode, customer_id) DO UPDATE SET customer_id = EXCLUDED.customer_id;
  RETURN NULL;
END $$;
`,
};
