import { money } from './money.ts';
import { holds } from './small-run.ts';

describe('money under faults', () => {
  holds(money);
});
