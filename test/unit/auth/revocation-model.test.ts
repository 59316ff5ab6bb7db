import { expect } from 'chai';
import fc from 'fast-check';
import { type Decision, simulate } from './revocation-model/simulate.ts';
import { anySteps } from './revocation-model/steps.ts';

/** The bound of the proof: a decision rests on what was true at most this long before it. */
const BOUND_MS = 500;
/** A look-up is younger. */
const LOOK_UP_MS = 250;
const RUNS = 1_500;

function assertRecent({ atMs, verdict, way, lastTrueMs, wasTrueSince }: Decision): void {
  const title = `${verdict} at ${atMs}, ${way}`;
  const bound = way === 'cached' ? BOUND_MS : LOOK_UP_MS;
  expect(atMs - lastTrueMs, title).to.be.at.most(bound);
  // Whoever asks past the cache wants to know what became of the key meanwhile.
  if (way === 'asked again') expect(wasTrueSince, title).to.equal(true);
}

describe('revocation, under any interleaving', () => {
  it('decides on nothing that was over 500 ms before, either way', async function () {
    this.timeout(120_000);
    const ways = new Map<string, number>();
    const verdicts = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(anySteps, async (steps) => {
        const { decisions, alarms, failovers } = await simulate(steps);
        expect(alarms, 'alarms').to.be.at.most(failovers);
        for (const decision of decisions) {
          assertRecent(decision);
          ways.set(decision.way, 1 + (ways.get(decision.way) ?? 0));
          verdicts.set(decision.verdict, 1 + (verdicts.get(decision.verdict) ?? 0));
        }
      }),
      { numRuns: RUNS },
    );
    // A guard that refuses everything, or caches nothing, would pass too.
    for (const way of ['cached', 'looked up', 'asked again']) {
      expect(ways.get(way), way).to.be.above(RUNS / 2);
    }
    expect([...verdicts.keys()].sort()).to.deep.equal([
      'account_disabled',
      'all',
      'api_key_expired',
      'api_key_invalid',
      'api_key_revoked',
      'charges:read',
      'charges:read charges:write',
    ]);
    for (const [verdict, count] of verdicts) expect(count, verdict).to.be.above(RUNS / 8);
  });
});
