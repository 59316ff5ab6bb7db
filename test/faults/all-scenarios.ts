import { chargeCrashes } from './crash-points.ts';
import { actions, oneKey, refunds } from './races.ts';
import type { Scenario } from './scenario.ts';

/** Every fault run, in the order in which they are run. */
export const SCENARIOS: readonly Scenario[] = [refunds, oneKey, actions, chargeCrashes];
