import { lockBriefly, type Migration } from './migration.ts';

export const payoutListsWithoutClocks: Migration = {
  name: '0088-payout-lists-without-clocks',
  breaking: false,
  sql: (s) => `
${lockBriefly(`${s}.payouts`, 'SHARE')}
CREATE INDEX payouts_of_destination_in_time
  ON ${s}.payouts (account_id, livemode, destination_id, created, id) WHERE test_clock_id IS NULL;
`,
};
