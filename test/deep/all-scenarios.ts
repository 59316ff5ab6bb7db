import type { Scenario } from '../faults/scenario.ts';
import { moneyRaces, races } from './races.ts';

/** Every deep run, in the order in which they are run. */
export const SCENARIOS: readonly Scenario[] = [races, moneyRaces];
