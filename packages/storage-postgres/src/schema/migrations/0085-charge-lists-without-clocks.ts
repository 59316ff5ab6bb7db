import { lockBriefly, type Migration } from './migration.ts';

/** A list of a filter reads past nothing that is on a test clock. A migration for each table, so that none is locked while another is waited for. */
export const chargeListsWithoutClocks: Migration = {
  name: '0085-charge-lists-without-clocks',
  breaking: false,
  sql: (s) => `
${lockBriefly(`${s}.charges`, 'SHARE')}
-- As charges_failed and the others like it, which stay for the previous version.
CREATE INDEX charges_authorized_in_time ON ${s}.charges (account_id, livemode, created, id)
  WHERE capture_before IS NOT NULL AND test_clock_id IS NULL;
CREATE INDEX charges_failed_in_time ON ${s}.charges (account_id, livemode, created, id)
  WHERE failure IS NOT NULL AND test_clock_id IS NULL;
CREATE INDEX charges_canceled_in_time ON ${s}.charges (account_id, livemode, created, id)
  WHERE canceled_at IS NOT NULL AND test_clock_id IS NULL;
`,
};
