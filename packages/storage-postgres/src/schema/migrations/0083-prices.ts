import type { Migration } from './migration.ts';

export const prices: Migration = {
  name: '0083-prices',
  breaking: false,
  sql: (s) => `
CREATE TABLE ${s}.products (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL REFERENCES ${s}.accounts,
  livemode boolean NOT NULL,
  version integer NOT NULL,
  name text NOT NULL,
  active boolean NOT NULL,
  description text,
  metadata jsonb NOT NULL,
  price_count integer NOT NULL,
  created timestamptz NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (account_id, livemode, id),
  CONSTRAINT products_deleted_have_no_price CHECK (deleted_at IS NULL OR price_count = 0)
) WITH (fillfactor = 80);

CREATE TABLE ${s}.prices (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL REFERENCES ${s}.accounts,
  livemode boolean NOT NULL,
  version integer NOT NULL,
  product_id text COLLATE "C" NOT NULL,
  currency text NOT NULL,
  unit_amount bigint NOT NULL,
  recurring jsonb,
  active boolean NOT NULL,
  lookup_key text,
  nickname text,
  metadata jsonb NOT NULL,
  created timestamptz NOT NULL,
  PRIMARY KEY (account_id, livemode, id),
  FOREIGN KEY (account_id, livemode, product_id) REFERENCES ${s}.products,
  CONSTRAINT prices_amount CHECK (unit_amount BETWEEN 0 AND 99999999),
  CONSTRAINT prices_interval CHECK (recurring ->> 'interval' IN ('day', 'week', 'month', 'year')),
  -- Checked at the end of a statement, which may take the key from one price for another.
  CONSTRAINT prices_lookup_key UNIQUE (account_id, livemode, lookup_key) DEFERRABLE
) WITH (fillfactor = 80);
CREATE INDEX prices_by_product ON ${s}.prices (account_id, livemode, product_id, id);

-- What a price costs, and how often, is what was agreed with everybody who pays it.
CREATE FUNCTION ${s}.prices_never_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'The amount, currency, interval and product of a price never change.'
    USING ERRCODE = '23514', CONSTRAINT = 'prices_never_change';
END $$;
CREATE TRIGGER prices_never_change BEFORE UPDATE ON ${s}.prices FOR EACH ROW
  WHEN (OLD.product_id <> NEW.product_id OR OLD.currency <> NEW.currency
    OR OLD.unit_amount <> NEW.unit_amount
    OR OLD.recurring IS DISTINCT FROM NEW.recurring)
  EXECUTE FUNCTION ${s}.prices_never_change();
`,
};
