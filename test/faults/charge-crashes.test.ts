import { chargeCrashes } from './charge-crashes.ts';
import { holds } from './small-run.ts';

describe('hosts that die', () => {
  holds(chargeCrashes);
});
