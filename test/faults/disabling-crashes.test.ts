import { disablingCrashes } from './disabling-crashes.ts';
import { holds } from './small-run.ts';

describe('workers that die while an endpoint fails for days', () => {
  holds(disablingCrashes);
});
