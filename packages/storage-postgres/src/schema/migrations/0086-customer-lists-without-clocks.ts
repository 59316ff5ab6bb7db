import { lockBriefly, type Migration } from './migration.ts';

export const customerListsWithoutClocks: Migration = {
  name: '0086-customer-lists-without-clocks',
  breaking: false,
  sql: (s) => `
${lockBriefly(`${s}.customers`, 'SHARE')}
CREATE INDEX customers_in_time ON ${s}.customers (account_id, livemode, created, id)
  WHERE deleted_at IS NULL AND test_clock_id IS NULL;
CREATE INDEX customers_by_email_in_time
  ON ${s}.customers (account_id, livemode, email, created, id)
  WHERE email IS NOT NULL AND test_clock_id IS NULL;
`,
};
