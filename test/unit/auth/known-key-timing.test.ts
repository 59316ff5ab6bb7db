import { expect } from 'chai';
import { knownKey } from '../../../packages/auth/src/guard/known-key.ts';
import { seeded } from '../../security/timing.ts';
import { shelvedKey } from './key-shelf.ts';

/** Of either kind. */
const SAMPLES = 200_000;
/** By chance once in 150,000 runs. */
const BOUND = 4.5;
/** What took longer measured the machine: interrupts, other processes, collected garbage. */
const KEPT_SHARE = 0.9;

type Compare = (stored: Uint8Array, hash: Uint8Array) => unknown;

describe('the comparison of a hash with the one that was found', () => {
  const random = seeded(20_261_122);
  const { credential } = shelvedKey('secret', 'test');
  const stored = credential.key.hash;
  const unlikeAt = (index: number): Uint8Array =>
    Uint8Array.from(stored, (byte, at) => (at === index ? byte ^ 1 : byte));
  const kinds = [unlikeAt(0), unlikeAt(stored.length - 1)] as const;

  /** Nanoseconds of comparisons, in turns: unlike in the first byte, and unlike in the last. */
  function measure(compare: Compare): readonly [Float64Array, Float64Array] {
    const times = [new Float64Array(SAMPLES), new Float64Array(SAMPLES)] as const;
    // In one place of memory whatever it holds, as places differ in speed.
    const presented = new Uint8Array(stored.length);
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      for (const kind of random() < 0.5 ? ([0, 1] as const) : ([1, 0] as const)) {
        presented.set(kinds[kind]);
        const start = process.hrtime.bigint();
        const found = compare(stored, presented);
        const end = process.hrtime.bigint();
        if (found) throw new Error('A hash was found that is not the stored one.');
        times[kind][sample] = Number(end - start);
      }
    }
    return times;
  }

  const known: Compare = (_, hash) => knownKey(credential, hash);

  it('takes the same time, whether the first byte is wrong or the last', function () {
    this.timeout(60_000);
    expect(knownKey(credential, Uint8Array.from(stored))?.id).to.equal(credential.key.id);
    measure(known);
    expect(Math.abs(welch(...measure(known)))).to.be.below(BOUND);
  });

  it('would be told if it stopped at the first difference', function () {
    this.timeout(60_000);
    measure(isSame);
    expect(welch(...measure(isSame))).to.be.below(-2 * BOUND);
  });
});

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  for (let at = 0; at < one.length; at += 1) {
    if (one[at] !== other[at]) return false;
  }
  return one.length === other.length;
}

/** Welch's t of two kinds of times, without the longest, counted over both of them. */
function welch(one: Float64Array, other: Float64Array): number {
  const all = Float64Array.from([...one, ...other]).sort();
  const longest = all[Math.floor(all.length * KEPT_SHARE)] ?? Number.POSITIVE_INFINITY;
  const [first, second] = [one, other].map((times) => {
    const kept = times.filter((time) => time <= longest);
    const mean = kept.reduce((sum, time) => sum + time, 0) / kept.length;
    const squares = kept.reduce((sum, time) => sum + (time - mean) ** 2, 0);
    return { mean, error: squares / (kept.length - 1) / kept.length };
  });
  if (first === undefined || second === undefined) return Number.NaN;
  return (first.mean - second.mean) / Math.sqrt(first.error + second.error);
}
