import fc from 'fast-check';
import { KEYS, type Step } from './step.ts';

/** A key that is changed, and the times that the shape takes. */
interface Knot {
  readonly key: number;
  readonly change: Step;
  /** Up to the age at which requests renew the lease. */
  readonly soon: number;
  /** Just past it. */
  readonly due: number;
  /** Up to the end of the lease. */
  readonly long: number;
}

export type Shape = (knot: Knot) => readonly Step[];

const request = (key: number): Step => ({ do: 'request', key, times: 1 });
const advance = (ms: number): Step => ({ do: 'advance', ms });
const answer = (what: 'look-ups' | 'syncs' | 'all'): Step => ({ do: 'answer', what });
const execute = (what: 'look-ups' | 'syncs'): Step => ({ do: 'execute', what });
const refresh: Step = { do: 'refresh' };
const recovery: Step = { do: 'recovery' };

/** Until the key is cached under a lease. */
const cached = (key: number): readonly Step[] => [request(key), answer('all'), request(key)];
const other = ({ key }: Knot): Step => ({ do: 'change', key: (key + 1) % KEYS, to: 'renamed' });
/** A request that renews the lease, and one that profits. */
const renewed = ({ key, due }: Knot): readonly Step[] => [
  advance(due),
  request(key),
  answer('syncs'),
  advance(due),
  request(key),
];

/** The interleavings that the proof is about, which chance alone brings seldom. */
const COMMON: readonly Shape[] = [
  // A look-up comes back after the sync that evicts what it found.
  (knot) => [
    request(knot.key),
    execute('look-ups'),
    knot.change,
    refresh,
    advance(5),
    answer('syncs'),
    answer('look-ups'),
    request(knot.key),
    ...renewed(knot),
  ],
  // A guess turns out to be a key.
  (knot) => {
    const key = KEYS - 1;
    return [...cached(key), { do: 'change', key, to: 'created' }, ...renewed({ ...knot, key })];
  },
  // A sync takes its snapshot, and is long in coming.
  ({ key, change, soon, due, long }) => [
    ...cached(key),
    advance(due),
    request(key),
    execute('syncs'),
    change,
    advance(soon),
    answer('syncs'),
    advance(long),
    request(key),
  ],
  // The log is purged before the change in it was read.
  (knot) => [...cached(knot.key), knot.change, other(knot), { do: 'purge' }, ...renewed(knot)],
  // A standby answers, which has not heard of the change.
  (knot) => [...cached(knot.key), recovery, knot.change, ...renewed(knot), recovery],
  // What was seen is lost in a failover, and the numbers of others go past it.
  (knot) => [
    ...cached(knot.key),
    knot.change,
    refresh,
    advance(5),
    answer('all'),
    ...cached(knot.key),
    { do: 'failOver', lost: 1 } as const,
    other(knot),
    other(knot),
    ...renewed(knot),
    answer('syncs'),
    ...renewed(knot),
  ],
];

/** The wall clock is set back: by it, the lease would last longer. */
export const SET_BACK: Shape = ({ key, change, soon, long }) => [
  ...cached(key),
  change,
  advance(long),
  { do: 'stepWall', ms: -200 } as const,
  advance(soon),
  request(key),
];

/** The machine sleeps, which the monotonic clock does not count. */
export const ASLEEP: Shape = ({ key, change, soon }) => [
  ...cached(key),
  change,
  { do: 'sleep', ms: 501 } as const,
  advance(soon),
  request(key),
];

/** Known shapes, with any key, change and times. @param more a shape of this run alone */
export function knots(more: Shape): fc.Arbitrary<readonly Step[]> {
  return fc
    .record({
      shape: fc.constantFrom(...COMMON, more),
      key: fc.nat({ max: KEYS - 1 }),
      to: fc.constantFrom('revoked' as const, 'cut' as const, 'widened' as const),
      soon: fc.integer({ min: 1, max: 250 }),
      due: fc.integer({ min: 251, max: 300 }),
      long: fc.integer({ min: 300, max: 500 }),
    })
    .map(({ shape, to, ...times }) => {
      return shape({ ...times, change: { do: 'change', key: times.key, to } });
    });
}
