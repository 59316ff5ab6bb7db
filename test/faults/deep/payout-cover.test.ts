import { holds } from '../small-run.ts';
import { payoutCover } from './payout-cover.ts';

describe('payouts among everything else that moves a balance', () => {
  holds(payoutCover);
});
