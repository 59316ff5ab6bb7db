import { lockBriefly, type Migration } from './migration.ts';

export const customerBalances: Migration = {
  name: '0090-customer-balances',
  breaking: false,
  sql: (s) => `
${lockBriefly(`${s}.customers`)}
-- Of the first transaction; and the ending balance of the last one in each currency. The column balance
-- stays as long as the previous version runs, which reads it.
ALTER TABLE ${s}.customers
  ADD COLUMN currency text,
  ADD COLUMN balances jsonb NOT NULL DEFAULT '{}';

CREATE TABLE ${s}.customer_balance_transactions (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL REFERENCES ${s}.accounts,
  livemode boolean NOT NULL,
  version integer NOT NULL,
  customer_id text COLLATE "C" NOT NULL,
  currency text NOT NULL,
  number integer NOT NULL,
  amount bigint NOT NULL,
  ending_balance bigint NOT NULL,
  type text NOT NULL,
  invoice_id text COLLATE "C",
  description text,
  metadata jsonb NOT NULL,
  created timestamptz NOT NULL,
  PRIMARY KEY (account_id, livemode, id),
  FOREIGN KEY (account_id, livemode, customer_id) REFERENCES ${s}.customers,
  CONSTRAINT customer_balance_numbers UNIQUE (account_id, livemode, customer_id, currency, number),
  CONSTRAINT customer_balance_number CHECK (number > 0),
  CONSTRAINT customer_balance_amount CHECK (amount <> 0),
  CONSTRAINT customer_balance_limit
    CHECK (ending_balance BETWEEN -1000000000000 AND 1000000000000),
  CONSTRAINT customer_balance_type CHECK (CASE type
    WHEN 'adjustment' THEN invoice_id IS NULL
    WHEN 'applied_to_invoice' THEN invoice_id IS NOT NULL
    WHEN 'unapplied_from_invoice' THEN invoice_id IS NOT NULL
    WHEN 'proration_credit' THEN invoice_id IS NOT NULL
    ELSE false END)
) WITH (fillfactor = 90);
CREATE INDEX customer_balance_by_customer
  ON ${s}.customer_balance_transactions (account_id, livemode, customer_id, id);

-- Balances that were set before there were transactions. A customer had one without a currency: it is
-- taken to be in the default currency of the account. The suffix of the customer's id makes the id of
-- the transaction, because no other transaction has it.
WITH opened AS (
  UPDATE ${s}.customers x SET currency = a.default_currency,
    balances = jsonb_build_object(a.default_currency, x.balance)
  FROM ${s}.accounts a WHERE a.id = x.account_id AND x.balance <> 0
  RETURNING x.*
)
INSERT INTO ${s}.customer_balance_transactions (id, account_id, livemode, version, customer_id,
  currency, number, amount, ending_balance, type, description, metadata, created)
SELECT 'cbtxn' || substr(id, strpos(id, '_')), account_id, livemode, 1, id,
  currency, 1, balance, balance, 'adjustment', 'The balance when balance transactions began', '{}',
  created
FROM opened;

-- At the end of the statement, so that the order in which it writes a chain does not matter. The number
-- is unique, so a chain has no gap and no fork.
CREATE FUNCTION ${s}.refuse_broken_balance() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  before bigint := 0;
BEGIN
  IF NEW.number > 1 THEN
    before := (SELECT t.ending_balance FROM ${s}.customer_balance_transactions t
      WHERE t.account_id = NEW.account_id AND t.livemode = NEW.livemode
        AND t.customer_id = NEW.customer_id AND t.currency = NEW.currency
        AND t.number = NEW.number - 1);
  END IF;
  IF (NEW.ending_balance = before + NEW.amount) IS NOT TRUE THEN
    RAISE EXCEPTION 'The ending balance is not the one before plus the amount'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'customer_balance_chain';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER customer_balance_chain AFTER INSERT ON ${s}.customer_balance_transactions
  FOR EACH ROW EXECUTE FUNCTION ${s}.refuse_broken_balance();

CREATE FUNCTION ${s}.refuse_balance_edit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'Only the description and the metadata of a balance transaction change'
    USING ERRCODE = 'check_violation', CONSTRAINT = 'customer_balance_kept';
END $$;
CREATE TRIGGER customer_balance_unchanged
  BEFORE UPDATE ON ${s}.customer_balance_transactions FOR EACH ROW
  WHEN ((OLD.id, OLD.account_id, OLD.livemode, OLD.customer_id, OLD.currency, OLD.number, OLD.amount,
      OLD.ending_balance, OLD.type, OLD.invoice_id, OLD.created)
    IS DISTINCT FROM (NEW.id, NEW.account_id, NEW.livemode, NEW.customer_id, NEW.currency, NEW.number,
      NEW.amount, NEW.ending_balance, NEW.type, NEW.invoice_id, NEW.created))
  EXECUTE FUNCTION ${s}.refuse_balance_edit();
CREATE TRIGGER customer_balance_kept
  BEFORE DELETE OR TRUNCATE ON ${s}.customer_balance_transactions
  FOR EACH STATEMENT EXECUTE FUNCTION ${s}.refuse_balance_edit();
`,
};
