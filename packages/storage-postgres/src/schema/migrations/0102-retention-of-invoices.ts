import { lockBriefly, type Migration } from './migration.ts';

export const retentionOfInvoices: Migration = {
  name: '0102-retention-of-invoices',
  breaking: false,
  sql: (s) => `
${lockBriefly(`${s}.invoices`)}
-- When the personal data and the texts of an invoice were deleted.
ALTER TABLE ${s}.invoices ADD COLUMN expunged_at timestamptz;

CREATE FUNCTION ${s}.lines_without_texts(lines jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE
  AS $$ SELECT jsonb_agg(l - 'description' ORDER BY n)
    FROM jsonb_array_elements(lines) WITH ORDINALITY AS e (l, n) $$;

-- Nothing but its texts changes when it is expunged.
CREATE OR REPLACE FUNCTION ${s}.invoices_never_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.expunged_at IS NULL AND NEW.expunged_at IS NOT NULL
    AND (NEW.number, NEW.total, NEW.currency, NEW.customer_id, NEW.starting_balance, NEW.ending_balance,
        NEW.amount_due, NEW.status)
      IS NOT DISTINCT FROM (OLD.number, OLD.total, OLD.currency, OLD.customer_id, OLD.starting_balance,
        OLD.ending_balance, OLD.amount_due, OLD.status)
    AND ${s}.lines_without_texts(NEW.lines) IS NOT DISTINCT FROM ${s}.lines_without_texts(OLD.lines)
    THEN RETURN NEW;
  END IF;
  RAISE EXCEPTION 'The lines, amounts, number and customer of an issued invoice never change.'
    USING ERRCODE = '23514', CONSTRAINT = 'invoices_never_change';
END $$;
DROP TRIGGER invoices_never_change ON ${s}.invoices;
CREATE TRIGGER invoices_never_change BEFORE UPDATE ON ${s}.invoices FOR EACH ROW
  WHEN (OLD.number IS NOT NULL AND (
    NEW.number IS DISTINCT FROM OLD.number OR NEW.lines IS DISTINCT FROM OLD.lines
    OR NEW.total <> OLD.total OR NEW.currency <> OLD.currency OR NEW.customer_id <> OLD.customer_id
    OR NEW.starting_balance IS DISTINCT FROM OLD.starting_balance
    OR NEW.ending_balance IS DISTINCT FROM OLD.ending_balance
    OR NEW.amount_due IS DISTINCT FROM OLD.amount_due
    OR NEW.issued_to IS DISTINCT FROM OLD.issued_to
    OR OLD.status IN ('paid', 'void') AND NEW.status <> OLD.status))
  EXECUTE FUNCTION ${s}.invoices_never_change();

-- What a customer said at the end of a subscription is deleted with the customer.
CREATE INDEX subscriptions_with_comment ON ${s}.subscriptions (account_id, livemode, customer_id)
  WHERE cancellation ->> 'comment' IS NOT NULL;

-- Amounts that ask for money later, or give it back, name their makers.
ALTER TABLE ${s}.invoice_items ADD COLUMN created_by jsonb;
ALTER TABLE ${s}.customer_balance_transactions ADD COLUMN created_by jsonb;
`,
};
