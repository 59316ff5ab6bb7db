import { payoutCrashes } from './payout-crashes.ts';
import { holds } from './small-run.ts';

describe('workers that die with a payout', () => {
  holds(payoutCrashes);
});
