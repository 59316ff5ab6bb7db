import { money } from './money.ts';
import { holds } from './small-run.ts';

describe('money under faults', () => {
  // The same plan each day; others are drawn in longer runs.
  holds(money, { seed: 31 });
});
