import { billingCrashes } from './billing-crashes.ts';
import { chargeCrashes } from './charge-crashes.ts';
import { deliveries, deliveriesWithoutRedis, deliveriesWithoutSweeper } from './deliveries.ts';
import { deliveryCrashes } from './delivery-crashes.ts';
import { disablingCrashes } from './disabling-crashes.ts';
import { deadlines, endless } from './egress.ts';
import { lateness, shutdown } from './endings.ts';
import { hastyAdapter, money } from './money.ts';
import { codes, oauthCrashes, refreshes } from './oauth.ts';
import { payoutCrashes } from './payout-crashes.ts';
import { actions, oneKey, refunds } from './races.ts';
import { redisAlone, redisLoss } from './redis-loss.ts';
import { redisOutage } from './redis-outage.ts';
import { lockedOrders, partialRefunds } from './refund-hooks.ts';
import { restore } from './restore.ts';
import { revocation, slowClock } from './revocation.ts';
import type { Scenario } from './scenario.ts';
import { upkeepCrashes } from './upkeep-crashes.ts';
import { workerCrashes } from './worker-crashes.ts';

/** Every fault run, in the order in which they are run. */
export const SCENARIOS: readonly Scenario[] = [
  refunds,
  oneKey,
  actions,
  codes,
  refreshes,
  oauthCrashes,
  lockedOrders,
  partialRefunds,
  chargeCrashes,
  workerCrashes,
  money,
  hastyAdapter,
  deliveryCrashes,
  disablingCrashes,
  upkeepCrashes,
  payoutCrashes,
  billingCrashes,
  restore,
  deliveries,
  deliveriesWithoutRedis,
  deliveriesWithoutSweeper,
  shutdown,
  lateness,
  deadlines,
  endless,
  redisLoss,
  redisAlone,
  redisOutage,
  revocation,
  slowClock,
];
