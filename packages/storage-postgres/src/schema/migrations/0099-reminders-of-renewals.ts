import type { Migration } from './migration.ts';

export const remindersOfRenewals: Migration = {
  name: '0099-reminders-of-renewals',
  breaking: false,
  sql: (s) => `
-- Of each kind one row for a subscription: that of its current period.
CREATE TABLE ${s}.renewal_reminders (
  account_id text COLLATE "C" NOT NULL,
  livemode boolean NOT NULL,
  subscription_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  period_index integer NOT NULL,
  due_at timestamptz NOT NULL,
  is_done boolean NOT NULL,
  test_clock_id text COLLATE "C",
  PRIMARY KEY (account_id, livemode, subscription_id, kind),
  FOREIGN KEY (account_id, livemode, subscription_id) REFERENCES ${s}.subscriptions ON DELETE CASCADE,
  CONSTRAINT renewal_reminders_kind CHECK (kind IN ('card_expiring', 'upcoming'))
) WITH (fillfactor = 80);
CREATE INDEX renewal_reminders_due ON ${s}.renewal_reminders (due_at)
  WHERE NOT is_done AND test_clock_id IS NULL;
CREATE INDEX renewal_reminders_due_by_account ON ${s}.renewal_reminders (account_id, livemode, due_at)
  WHERE NOT is_done AND test_clock_id IS NULL;
CREATE INDEX renewal_reminders_due_on_clock ON ${s}.renewal_reminders (test_clock_id, due_at)
  WHERE NOT is_done AND test_clock_id IS NOT NULL;
`,
};
