import { revocation, slowClock } from './revocation.ts';
import { holds } from './small-run.ts';

describe('access that is taken away', () => {
  holds(revocation);
  holds(slowClock);
});
