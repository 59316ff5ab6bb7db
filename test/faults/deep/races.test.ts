import { holds } from '../small-run.ts';
import { moneyRaces, races } from './races.ts';

describe('calls at once on one account', () => {
  for (const each of [races, moneyRaces]) holds(each);
});
