import { deadlines, endless } from './egress.ts';
import { holds } from './small-run.ts';

describe('receivers that do not respond, or without end', () => {
  for (const scenario of [deadlines, endless]) holds(scenario);
});
