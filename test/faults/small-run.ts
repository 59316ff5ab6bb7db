import { expect } from 'chai';
import { hasRedis } from '../support/isolated-redis.ts';
import { REDIS_CURE } from '../support/redis.ts';
import { skipUnless } from '../support/skip.ts';
import type { Scenario } from './scenario.ts';

const LIMIT_MS = 120_000;

/**
 * Shows a law in `npm test`, as far as its time allows; `npm run test:faults` goes further.
 * @param how `seed`: the same run each time; new sequences are for longer runs
 */
export function holds(
  scenario: Scenario,
  how: { readonly redis?: true; readonly seed?: number } = {},
): void {
  const cure = how.redis && !hasRedis() ? ` (${REDIS_CURE})` : '';
  it(scenario.law + cure, async function () {
    this.timeout(LIMIT_MS);
    skipUnless(cure === '', `Redis (${REDIS_CURE})`, this);
    const { violations } = await scenario.run(scenario.sizes.small, how.seed);
    expect(violations).to.deep.equal([]);
  });
}
