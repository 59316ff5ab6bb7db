import { deliveries, deliveriesWithoutSweeper } from './deliveries.ts';
import { holds } from './small-run.ts';

describe('deliveries under faults', () => {
  holds(deliveries, { redis: true });
  holds(deliveriesWithoutSweeper, { redis: true });
});
