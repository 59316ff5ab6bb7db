import fc from 'fast-check';
import { ASLEEP, knots, SET_BACK, type Shape } from './known-races.ts';
import { ACCOUNTS, KEYS, type Step } from './step.ts';

const key = fc.nat({ max: KEYS - 1 });
const query = fc.nat({ max: 5 });

function weighted(weight: number, arbitrary: fc.Arbitrary<Step>): fc.WeightedArbitrary<Step> {
  return { weight, arbitrary };
}

const common: readonly fc.WeightedArbitrary<Step>[] = [
  weighted(
    8,
    fc.record({ do: fc.constant('request' as const), key, times: fc.integer({ min: 1, max: 3 }) }),
  ),
  weighted(2, fc.record({ do: fc.constant('askAgain' as const), key })),
  weighted(
    3,
    fc.record({
      do: fc.constant('change' as const),
      key,
      // The first two are final, so that they come less often.
      to: fc.constantFrom(
        ...([
          'revoked',
          'ended',
          'cut',
          'cut',
          'widened',
          'widened',
          'renamed',
          'created',
        ] as const),
      ),
    }),
  ),
  weighted(
    2,
    fc.record({ do: fc.constant('switch' as const), account: fc.nat({ max: ACCOUNTS - 1 }) }),
  ),
  weighted(8, fc.record({ do: fc.constant('step' as const), query })),
  weighted(
    6,
    fc.record({ do: fc.constant('answer' as const), what: fc.constantFrom('all', 'all', 'syncs') }),
  ),
  weighted(1, fc.record({ do: fc.constant('fail' as const), query })),
  weighted(
    6,
    fc.record({
      do: fc.constant('advance' as const),
      ms: fc.oneof(fc.nat({ max: 300 }), fc.constantFrom(1, 5, 250, 251, 499, 500, 501)),
    }),
  ),
  weighted(2, fc.record({ do: fc.constant('refresh' as const) })),
  weighted(2, fc.record({ do: fc.constant('failOver' as const), lost: fc.nat(3) })),
  weighted(1, fc.record({ do: fc.constantFrom('purge' as const, 'recovery' as const) })),
];
const wallSteps = weighted(
  2,
  fc.record({
    do: fc.constant('stepWall' as const),
    ms: fc.constantFrom(-3_600_000, -200, 200, 3_600_000),
  }),
);
const sleeps = weighted(
  2,
  fc.record({ do: fc.constant('sleep' as const), ms: fc.constantFrom(100, 400, 501, 60_000) }),
);

const LENGTH = { minLength: 30, maxLength: 90 };

function sequence(steps: fc.WeightedArbitrary<Step>, shape: Shape): fc.Arbitrary<readonly Step[]> {
  const single = fc.oneof(...common, steps).map((step) => [step]);
  const pieces = fc.oneof(
    { weight: 30, arbitrary: single },
    { weight: 1, arbitrary: knots(shape) },
  );
  return fc.array(pieces, LENGTH).map((parts) => parts.flat());
}

/** Steps in any order. */
// Not both in one run: a clock set back by as much as the machine slept hides the sleep.
export const anySteps = fc.oneof(sequence(wallSteps, SET_BACK), sequence(sleeps, ASLEEP));
