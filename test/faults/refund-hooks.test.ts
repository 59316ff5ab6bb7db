import { lockedOrders, partialRefunds } from './refund-hooks.ts';
import { holds } from './small-run.ts';

describe('refunds that race while a hook marks the order', () => {
  for (const race of [lockedOrders, partialRefunds]) holds(race);
});
