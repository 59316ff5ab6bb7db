import type { Migration } from './migration.ts';

export const waitingPayouts: Migration = {
  name: '0054-waiting-payouts',
  breaking: false,
  sql: (s) => `
-- The health counts those that wait; there are few of them.
CREATE INDEX payout_runs_waiting ON ${s}.payout_runs (livemode, waits_for)
  WHERE waits_for IS NOT NULL;
`,
};
