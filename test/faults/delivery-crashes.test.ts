import { deliveryCrashes } from './delivery-crashes.ts';
import { shutdown } from './endings.ts';
import { holds } from './small-run.ts';
import { upkeepCrashes } from './upkeep-crashes.ts';

describe('workers that die or are ended', () => {
  holds(deliveryCrashes);
  holds(upkeepCrashes);
  holds(shutdown);
});
