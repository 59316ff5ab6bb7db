import { holds } from './small-run.ts';
import { workerCrashes } from './worker-crashes.ts';

describe('processes that die with a payout, a dispute or a notice', () => {
  holds(workerCrashes);
});
