import type { Migration } from './migration.ts';

export const subscriptionsInDispute: Migration = {
  name: '0101-subscriptions-in-dispute',
  breaking: false,
  sql: (s) => `
-- Subscriptions that a worker ends, because a dispute about one of their charges was lost.
CREATE TABLE ${s}.disputed_subscriptions (
  account_id text COLLATE "C" NOT NULL,
  livemode boolean NOT NULL,
  subscription_id text COLLATE "C" NOT NULL,
  dispute_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, livemode, subscription_id)
);

-- Whoever records a loss must not wait for a subscription that is being billed, so a worker ends it.
CREATE FUNCTION ${s}.end_disputed_subscription() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  WITH lost AS (
    INSERT INTO ${s}.disputed_subscriptions (account_id, livemode, subscription_id, dispute_id)
    SELECT u.account_id, u.livemode, u.id, NEW.id FROM ${s}.accounts a
    JOIN ${s}.charges c ON (c.account_id, c.livemode, c.id) = (NEW.account_id, NEW.livemode, NEW.charge_id)
    JOIN ${s}.invoices i ON (i.account_id, i.livemode, i.id) = (c.account_id, c.livemode, c.invoice_id)
    JOIN ${s}.subscriptions u
      ON (u.account_id, u.livemode, u.id) = (i.account_id, i.livemode, i.subscription_id)
    WHERE a.id = NEW.account_id AND a.cancels_on_dispute
      AND u.status NOT IN ('canceled', 'incomplete_expired')
    ON CONFLICT DO NOTHING RETURNING account_id, livemode, subscription_id)
  INSERT INTO ${s}.subscription_wakes (account_id, livemode, customer_id)
    SELECT u.account_id, u.livemode, u.customer_id FROM lost l
    JOIN ${s}.subscriptions u
      ON (u.account_id, u.livemode, u.id) = (l.account_id, l.livemode, l.subscription_id)
    ON CONFLICT (account_id, livemode, customer_id) DO UPDATE SET customer_id = EXCLUDED.customer_id;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION ${s}.end_disputed_subscription() FROM PUBLIC;
CREATE TRIGGER end_disputed_subscription AFTER UPDATE OF status ON ${s}.disputes FOR EACH ROW
  WHEN (NEW.status = 'lost' AND OLD.status <> 'lost')
  EXECUTE FUNCTION ${s}.end_disputed_subscription();
CREATE TRIGGER end_newly_disputed_subscription AFTER INSERT ON ${s}.disputes FOR EACH ROW
  WHEN (NEW.status = 'lost')
  EXECUTE FUNCTION ${s}.end_disputed_subscription();
`,
};
