import { backlog } from './backlog.ts';
import { changedStatus } from './changed-status.ts';
import { deadHalf, deadMany, deadOne } from './dead-endpoints.ts';
import { deliveryLog } from './delivery-log.ts';
import { enginePlans } from './engine-plans.ts';
import { longHistory } from './long-history.ts';
import { pendingRetries } from './pending-retries.ts';
import { renewals } from './renewals.ts';
import { replay } from './replay.ts';
import type { Scenario } from './scenario.ts';
import { backAgain, slowAccounts } from './slow-merchants.ts';
import { subscriptionYears } from './subscription-years.ts';

/** Every scale run, in the order in which they are run. */
export const SCENARIOS: readonly Scenario[] = [
  backlog,
  enginePlans,
  pendingRetries,
  changedStatus,
  deliveryLog,
  longHistory,
  deadHalf,
  deadOne,
  deadMany,
  slowAccounts,
  backAgain,
  replay,
  subscriptionYears,
  renewals,
];
