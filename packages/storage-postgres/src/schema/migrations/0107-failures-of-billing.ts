import { lockBriefly, type Migration } from './migration.ts';

export const failuresOfBilling: Migration = {
  name: '0107-failures-of-billing',
  breaking: false,
  sql: (s) => `
-- Why a worker cannot do what is due, and since when, as {since, message}. Any change of the row ends it.
${lockBriefly(`${s}.subscriptions`)}
ALTER TABLE ${s}.subscriptions ADD COLUMN failing jsonb;
CREATE INDEX subscriptions_failing ON ${s}.subscriptions (id) WHERE failing IS NOT NULL;

${lockBriefly(`${s}.invoices`)}
ALTER TABLE ${s}.invoices ADD COLUMN failing jsonb;
CREATE INDEX invoices_failing ON ${s}.invoices (id) WHERE failing IS NOT NULL;

${lockBriefly(`${s}.renewal_reminders`)}
ALTER TABLE ${s}.renewal_reminders ADD COLUMN failing_since timestamptz;
CREATE INDEX renewal_reminders_failing ON ${s}.renewal_reminders (failing_since)
  WHERE failing_since IS NOT NULL AND NOT is_done;
`,
};
