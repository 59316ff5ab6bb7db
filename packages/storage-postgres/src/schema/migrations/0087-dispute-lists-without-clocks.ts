import { lockBriefly, type Migration } from './migration.ts';

export const disputeListsWithoutClocks: Migration = {
  name: '0087-dispute-lists-without-clocks',
  breaking: false,
  sql: (s) => `
${lockBriefly(`${s}.disputes`, 'SHARE')}
CREATE INDEX disputes_by_status_in_time
  ON ${s}.disputes (account_id, livemode, status, created, id) WHERE test_clock_id IS NULL;
`,
};
