import { redisLoss } from './redis-loss.ts';
import { holds } from './small-run.ts';

describe('Redis that is wiped and killed', () => {
  holds(redisLoss, { redis: true });
});
