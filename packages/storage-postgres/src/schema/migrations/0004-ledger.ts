import type { Migration } from './migration.ts';

export const ledger: Migration = {
  name: '0004-ledger',
  breaking: false,
  sql: (s) => `
CREATE TABLE ${s}.ledger_account (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES ${s}.accounts,
  livemode boolean NOT NULL,
  code text NOT NULL,
  currency text NOT NULL,
  balance bigint,
  debt bigint NOT NULL DEFAULT 0,
  UNIQUE (account_id, livemode, currency, code),
  UNIQUE (id, account_id, livemode, currency),
  CONSTRAINT ledger_account_limited CHECK (
    (balance IS NOT NULL) = (code IN ('pending', 'available', 'reserved'))
    AND debt >= 0 AND (debt = 0 OR code = 'available')),
  CONSTRAINT ledger_account_available_covered CHECK (code <> 'available' OR balance >= -debt)
) WITH (fillfactor = 50);

CREATE TABLE ${s}.ledger_transaction (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  livemode boolean NOT NULL,
  kind text NOT NULL,
  source_id text COLLATE "C" NOT NULL,
  available_on timestamptz NOT NULL,
  created timestamptz NOT NULL,
  PRIMARY KEY (account_id, livemode, id),
  UNIQUE (account_id, livemode, source_id, kind)
);

CREATE TABLE ${s}.ledger_entry (
  id bigint GENERATED ALWAYS AS IDENTITY,
  ledger_account_id bigint NOT NULL,
  transaction_id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  livemode boolean NOT NULL,
  currency text NOT NULL,
  amount bigint NOT NULL CHECK (amount <> 0),
  PRIMARY KEY (ledger_account_id, id),
  FOREIGN KEY (ledger_account_id, account_id, livemode, currency)
    REFERENCES ${s}.ledger_account (id, account_id, livemode, currency),
  FOREIGN KEY (account_id, livemode, transaction_id) REFERENCES ${s}.ledger_transaction
);

CREATE FUNCTION ${s}.refuse_unbalanced_entries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM inserted GROUP BY transaction_id, currency HAVING sum(amount) <> 0) THEN
    RAISE EXCEPTION 'Ledger entries must sum to zero per transaction and currency'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_entry_balanced';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER ledger_entry_balanced AFTER INSERT ON ${s}.ledger_entry
  REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION ${s}.refuse_unbalanced_entries();

CREATE FUNCTION ${s}.refuse_ledger_edit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% of % is refused: the ledger is append-only, correct it by a reversal',
    TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_append_only';
END $$;
CREATE TRIGGER ledger_entry_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON ${s}.ledger_entry
  FOR EACH STATEMENT EXECUTE FUNCTION ${s}.refuse_ledger_edit();
CREATE TRIGGER ledger_transaction_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON ${s}.ledger_transaction
  FOR EACH STATEMENT EXECUTE FUNCTION ${s}.refuse_ledger_edit();
CREATE TRIGGER ledger_account_kept
  BEFORE DELETE OR TRUNCATE ON ${s}.ledger_account
  FOR EACH STATEMENT EXECUTE FUNCTION ${s}.refuse_ledger_edit();

CREATE TABLE ${s}.balance_transactions (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  livemode boolean NOT NULL,
  type text NOT NULL,
  source_id text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  fee bigint NOT NULL,
  fee_details jsonb NOT NULL,
  currency text NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'available')),
  available_on timestamptz NOT NULL,
  created timestamptz NOT NULL,
  PRIMARY KEY (account_id, livemode, id),
  UNIQUE (account_id, livemode, source_id, type)
) WITH (fillfactor = 80);
CREATE INDEX balance_transactions_due ON ${s}.balance_transactions (available_on)
  WHERE status = 'pending';
`,
};
