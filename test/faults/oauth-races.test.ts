import { codes, refreshes } from './oauth-races.ts';
import { holds } from './small-run.ts';

describe('tokens that many requests want at once', () => {
  holds(codes);
  holds(refreshes);
});
