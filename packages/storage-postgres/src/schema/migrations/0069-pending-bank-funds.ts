import type { Migration } from './migration.ts';

export const pendingBankFunds: Migration = {
  name: '0069-pending-bank-funds',
  breaking: false,
  sql: (s) => `
-- What is pending of bank debits is the sum of these rows: one for each balance transaction that became
-- pending, and one for each that became available. They are added up now and then, as those of
-- ledger_tail, so that a debit waits for no other one.
CREATE TABLE ${s}.pending_bank_funds (
  account_id text COLLATE "C" NOT NULL,
  livemode boolean NOT NULL,
  currency text NOT NULL,
  amount bigint NOT NULL CHECK (amount <> 0)
);
CREATE INDEX pending_bank_funds_of_account
  ON ${s}.pending_bank_funds (account_id, livemode, currency) INCLUDE (amount);

-- A refund belongs to a bank debit if its charge does. It is looked for after the statement, which
-- may have inserted the refund too.
CREATE FUNCTION ${s}.keep_pending_bank_funds() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.type <> 'payment' AND NOT EXISTS (SELECT FROM ${s}.refunds r
    JOIN ${s}.balance_transactions c ON (c.account_id, c.livemode, c.source_id, c.type)
      = (r.account_id, r.livemode, r.charge_id, 'payment')
    WHERE (r.account_id, r.livemode, r.id) = (NEW.account_id, NEW.livemode, NEW.source_id)) THEN
    RETURN NULL;
  END IF;
  INSERT INTO ${s}.pending_bank_funds (account_id, livemode, currency, amount)
  SELECT NEW.account_id, NEW.livemode, NEW.currency,
    CASE TG_OP WHEN 'INSERT' THEN NEW.amount - NEW.fee ELSE NEW.fee - NEW.amount END
  WHERE NEW.amount <> NEW.fee;
  RETURN NULL;
END $$;
CREATE TRIGGER balance_transactions_pending_of_banks AFTER INSERT ON ${s}.balance_transactions
  FOR EACH ROW WHEN (NEW.status = 'pending' AND NEW.type IN ('payment', 'refund', 'refund_failure'))
  EXECUTE FUNCTION ${s}.keep_pending_bank_funds();
CREATE TRIGGER balance_transactions_cleared_of_banks
  AFTER UPDATE OF status ON ${s}.balance_transactions
  FOR EACH ROW WHEN (OLD.status = 'pending' AND NEW.status = 'available'
    AND NEW.type IN ('payment', 'refund', 'refund_failure'))
  EXECUTE FUNCTION ${s}.keep_pending_bank_funds();

-- The triggers have locked the table, so nothing becomes pending or available meanwhile.
-- What is pending is read from its two indexes, each with its own condition.
INSERT INTO ${s}.pending_bank_funds (account_id, livemode, currency, amount)
SELECT b.account_id, b.livemode, b.currency, sum(b.amount - b.fee)
FROM (SELECT * FROM ${s}.balance_transactions WHERE status = 'pending' AND test_clock_id IS NULL
  UNION ALL
  SELECT * FROM ${s}.balance_transactions WHERE status = 'pending' AND test_clock_id IS NOT NULL) b
WHERE b.type = 'payment' OR b.type IN ('refund', 'refund_failure') AND EXISTS (
  SELECT FROM ${s}.refunds r JOIN ${s}.balance_transactions c
    ON (c.account_id, c.livemode, c.source_id, c.type) = (r.account_id, r.livemode, r.charge_id, 'payment')
  WHERE (r.account_id, r.livemode, r.id) = (b.account_id, b.livemode, b.source_id) OFFSET 0)
GROUP BY b.account_id, b.livemode, b.currency HAVING sum(b.amount - b.fee) <> 0;
`,
};
