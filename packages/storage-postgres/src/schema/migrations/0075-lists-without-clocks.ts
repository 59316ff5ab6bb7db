import type { Migration } from './migration.ts';

/** What may be on a test clock and has a list, with what its index has before `created`. */
const TABLES = {
  charges: '',
  refunds: '',
  disputes: '',
  payouts: '',
  balance_transactions: 'currency, type, ',
  events: 'type, ',
};

export const listsWithoutClocks: Migration = {
  name: '0075-lists-without-clocks',
  breaking: false,
  // Lists leave out what is on a test clock, whose `created` says nothing about now.
  sql: (s) => `
ALTER TABLE ${s}.refunds ADD COLUMN test_clock_id text COLLATE "C";
UPDATE ${s}.refunds r SET test_clock_id = c.test_clock_id FROM ${s}.charges c
  WHERE (c.account_id, c.livemode, c.id) = (r.account_id, r.livemode, r.charge_id)
    AND c.test_clock_id IS NOT NULL;
ALTER TABLE ${s}.events ADD COLUMN test_clock_id text COLLATE "C";
UPDATE ${s}.events e SET test_clock_id = o.test_clock_id FROM (
    ${['charges', 'disputes', 'payouts']
      .map(
        (table) => `SELECT account_id, livemode, id, test_clock_id FROM ${s}.${table}
      WHERE test_clock_id IS NOT NULL`,
      )
      .join('\n    UNION ALL ')}) o
  WHERE (o.account_id, o.livemode, o.id) = (e.account_id, e.livemode, e.object_id);
-- Deliveries are in real time.
UPDATE ${s}.deliveries d SET created = e.recorded_at FROM ${s}.events e
  WHERE e.test_clock_id IS NOT NULL AND d.event_id = e.id AND d.origin = 'event';
-- Lists of real time, and of one clock. The indexes of earlier migrations that end with created and id
-- stay for the previous version, which has no condition on the clock.
${Object.entries(TABLES)
  .map(
    ([table, first]) => `CREATE INDEX ${table}_in_time
  ON ${s}.${table} (account_id, livemode, ${first}created, id) WHERE test_clock_id IS NULL;
CREATE INDEX ${table}_on_clock
  ON ${s}.${table} (account_id, livemode, test_clock_id, created, id)
  WHERE test_clock_id IS NOT NULL;`,
  )
  .join('\n')}
`,
};
