import { deliveryCrashes } from './delivery-crashes.ts';
import { shutdown } from './endings.ts';
import { holds } from './small-run.ts';

describe('workers that die or are ended', () => {
  holds(deliveryCrashes);
  holds(shutdown);
});
