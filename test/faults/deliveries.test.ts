import { deliveries, deliveriesWithoutReconciler } from './deliveries.ts';
import { holds } from './small-run.ts';

describe('deliveries under faults', () => {
  holds(deliveries, { redis: true });
  holds(deliveriesWithoutReconciler, { redis: true });
});
