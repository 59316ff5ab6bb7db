import { lockBriefly, type Migration } from './migration.ts';

export const subscriptionsInDunning: Migration = {
  name: '0096-subscriptions-in-dunning',
  breaking: false,
  sql: (s) => `
${lockBriefly(`${s}.subscriptions`, 'SHARE')}
-- Few of many are past due, and monitoring counts them every few seconds.
CREATE INDEX subscriptions_in_dunning
  ON ${s}.subscriptions ((state #>> '{dunning,declineClass}')) WHERE status = 'past_due';
`,
};
