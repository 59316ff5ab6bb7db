import { codes, oauthCrashes, refreshes } from './oauth.ts';
import { holds } from './small-run.ts';

describe('tokens of platforms under races and crashes', () => {
  for (const scenario of [codes, refreshes, oauthCrashes]) holds(scenario);
});
