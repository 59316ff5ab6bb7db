import type { Scenario } from '../scenario.ts';
import { calendar } from './calendar.ts';
import { model } from './model/model.ts';
import { payoutCover } from './payout-cover.ts';
import { moneyRaces, races } from './races.ts';
import { subscriptionRaces } from './subscription-races.ts';

/** Every deep run, in the order in which they are run. */
export const SCENARIOS: readonly Scenario[] = [
  model,
  races,
  moneyRaces,
  subscriptionRaces,
  calendar,
  payoutCover,
];
