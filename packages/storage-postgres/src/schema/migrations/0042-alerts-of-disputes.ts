import type { Migration } from './migration.ts';

export const alertsOfDisputes: Migration = {
  name: '0042-alerts-of-disputes',
  breaking: false,
  sql: (s) => `
-- What a dispute was before its chargeback, which may have another reference.
ALTER TABLE ${s}.disputes ADD COLUMN alert_reference text,
  ADD COLUMN alert_operation_id text COLLATE "C",
  ADD CONSTRAINT disputes_alert CHECK (alert_operation_id IS NULL OR alert_reference IS NOT NULL);
CREATE UNIQUE INDEX disputes_once_per_alert
  ON ${s}.disputes (livemode, processor_name, alert_reference);
`,
};
