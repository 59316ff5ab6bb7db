import { actions, oneKey, refunds } from './races.ts';
import { holds } from './small-run.ts';

describe('requests that race through two hosts', () => {
  for (const race of [refunds, oneKey, actions]) holds(race);
});
