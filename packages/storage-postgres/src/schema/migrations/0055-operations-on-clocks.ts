import type { Migration } from './migration.ts';

export const operationsOnClocks: Migration = {
  name: '0055-operations-on-clocks',
  breaking: false,
  sql: (s) => `
UPDATE ${s}.operations o SET test_clock_id = c.test_clock_id FROM ${s}.charges c
  WHERE (c.account_id, c.livemode, c.id) = (o.account_id, o.livemode, o.charge_id)
    AND c.test_clock_id IS NOT NULL AND o.state IN ('created', 'sent', 'unknown');
UPDATE ${s}.operations o SET test_clock_id = p.test_clock_id FROM ${s}.payouts p
  WHERE (p.account_id, p.livemode, p.id) = (o.account_id, o.livemode, o.subject_id)
    AND p.test_clock_id IS NOT NULL AND o.state IN ('created', 'sent', 'unknown');
-- A clock waits for them. What is on no clock writes nothing.
CREATE INDEX operations_on_clock ON ${s}.operations (test_clock_id, id)
  WHERE test_clock_id IS NOT NULL AND state IN ('created', 'sent', 'unknown');
-- Clocks that were deleted before this version left them; nothing would ever send them.
DELETE FROM ${s}.sandbox_notices n USING ${s}.test_clocks k
  WHERE k.id = n.test_clock_id AND k.deleted_at IS NOT NULL;
`,
};
