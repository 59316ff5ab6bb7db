import { chargeCrashes } from './charge-crashes.ts';
import { deliveryCrashes } from './delivery-crashes.ts';
import { shutdown } from './endings.ts';
import { holds } from './small-run.ts';

describe('hosts that die or are ended', () => {
  holds(chargeCrashes);
  holds(deliveryCrashes);
  holds(shutdown);
});
