import type { Migration } from './migration.ts';

export const payableFunds: Migration = {
  name: '0074-payable-funds',
  breaking: false,
  sql: (s) => `
-- Available funds that cover refunds of pending charges must not leave the balance. Whoever books a payout or
-- a reserve has locked these accounts, so nobody else lowers them meanwhile.
CREATE FUNCTION ${s}.refuse_uncovered_refunds() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT sum(CASE WHEN a.code = 'available' THEN a.balance + tail.amount
        ELSE LEAST(0, a.balance + tail.amount) END)
      FROM ${s}.ledger_account a
        CROSS JOIN LATERAL (SELECT COALESCE(sum(t.amount), 0) AS amount FROM ${s}.ledger_tail t
          WHERE t.ledger_account_id = a.id) tail
      WHERE a.account_id = NEW.account_id AND a.livemode = NEW.livemode
        AND a.currency = NEW.currency AND a.code IN ('pending', 'available')) < 0 THEN
    RAISE EXCEPTION 'The available funds cover refunds of pending charges'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'balance_refunds_covered';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER balance_refunds_covered AFTER INSERT ON ${s}.balance_transactions
  FOR EACH ROW WHEN (NEW.type IN ('payout', 'reserve'))
  EXECUTE FUNCTION ${s}.refuse_uncovered_refunds();
`,
};
