import { lockBriefly, type Migration } from './migration.ts';

export const adjacentPeriods: Migration = {
  name: '0104-adjacent-periods',
  breaking: false,
  sql: (s) => `
${lockBriefly(`${s}.invoices`, 'SHARE')}
-- A period is invoiced once. The invoice of a backdated beginning is that of the later one of two periods.
CREATE UNIQUE INDEX invoices_of_periods
  ON ${s}.invoices (account_id, livemode, subscription_id, period_index)
  WHERE period_index IS NOT NULL AND status <> 'deleted';

-- A period begins where the one before it ends, and none is left out. At the end of a statement, which may move an
-- end and add the next period. The lock makes somebody who moves that end at the same time wait.
CREATE FUNCTION ${s}.billing_periods_adjacent() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.index > 0 THEN
    PERFORM FROM ${s}.billing_periods p WHERE p.account_id = NEW.account_id
      AND p.livemode = NEW.livemode AND p.subscription_id = NEW.subscription_id
      AND p.index = NEW.index - 1 AND p.ends_at = NEW.starts_at FOR SHARE;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'A period of a subscription begins where the one before it ends.'
        USING ERRCODE = '23514', CONSTRAINT = 'billing_periods_adjacent';
    END IF;
  END IF;
  PERFORM FROM ${s}.billing_periods n WHERE n.account_id = NEW.account_id
    AND n.livemode = NEW.livemode AND n.subscription_id = NEW.subscription_id
    AND n.index = NEW.index + 1 AND n.starts_at <> NEW.ends_at;
  IF FOUND THEN
    RAISE EXCEPTION 'A period of a subscription ends where the next one begins.'
      USING ERRCODE = '23514', CONSTRAINT = 'billing_periods_adjacent';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER billing_periods_begin_adjacent AFTER INSERT ON ${s}.billing_periods FOR EACH ROW
  EXECUTE FUNCTION ${s}.billing_periods_adjacent();
CREATE TRIGGER billing_periods_stay_adjacent AFTER UPDATE ON ${s}.billing_periods FOR EACH ROW
  WHEN ((NEW.index, NEW.starts_at, NEW.ends_at) IS DISTINCT FROM (OLD.index, OLD.starts_at, OLD.ends_at))
  EXECUTE FUNCTION ${s}.billing_periods_adjacent();
`,
};
