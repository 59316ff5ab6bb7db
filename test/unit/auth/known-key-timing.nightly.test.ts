import { expect } from 'chai';
import { knownKey } from '../../../packages/auth/src/guard/known-key.ts';
import { storedKey } from '../../support/memory-credentials.ts';
import { seeded } from '../../support/timing.ts';

/** Of either kind. */
const SAMPLES = 200_000;
/** The least counts: what the machine does lasts for some of them, a difference in the code for all. */
const MEASURES = 9;
/** By chance once in 150,000 measures. */
const BOUND = 4.5;
/** What took longer measured the machine: interrupts, other processes, collected garbage. */
const KEPT_SHARE = 0.9;

type Compare = (stored: Uint8Array, hash: Uint8Array) => unknown;

describe('the comparison of a hash with the one that was found', () => {
  const random = seeded(20_261_122);
  const { credential } = storedKey('secret', 'test');
  const stored = credential.key.hash;
  const last = stored.length - 1;
  /** Read from its middle on it changes the first byte of a hash, and from its start the last. */
  const change = new Uint8Array(2 * stored.length);
  change[last] = 1;

  /** 1 where the first byte is to be wrong, 0 where the last; as many of either, by lot. */
  const kinds = Uint8Array.from({ length: 2 * SAMPLES }, (_, index) => index % 2);
  for (let left = kinds.length - 1; left > 0; left -= 1) {
    const drawn = Math.floor(random() * (left + 1));
    [kinds[left], kinds[drawn]] = [kinds[drawn] ?? 0, kinds[left] ?? 0];
  }

  /**
   * Nanoseconds of each comparison. Apart from the hash, whatever is read, written or decided for a
   * sample is the same for both kinds, or one would be slower for where it lies in memory.
   */
  function measure(compare: Compare): Float64Array {
    const times = new Float64Array(kinds.length).fill(1);
    const presented = new Uint8Array(stored.length);
    for (let sample = 0; sample < kinds.length; sample += 1) {
      const from = last * (kinds[sample] ?? 0);
      for (let at = 0; at <= last; at += 1) {
        presented[at] = (stored[at] ?? 0) ^ (change[from + at] ?? 0);
      }
      const start = process.hrtime.bigint();
      const found = compare(stored, presented);
      const end = process.hrtime.bigint();
      if (found) throw new Error('A hash was found that is not the stored one.');
      times[sample] = Number(end - start);
    }
    return times;
  }

  /** Welch's t of the first byte against the last, without the longest times of both together. */
  function welch(times: Float64Array): number {
    const longest = times.toSorted()[Math.floor(times.length * KEPT_SHARE)] ?? 0;
    const [first, second] = [1, 0].map((kind) => {
      const kept = times.filter((time, sample) => kinds[sample] === kind && time <= longest);
      const mean = kept.reduce((sum, time) => sum + time, 0) / kept.length;
      const squares = kept.reduce((sum, time) => sum + (time - mean) ** 2, 0);
      return { mean, error: squares / (kept.length - 1) / kept.length };
    });
    if (first === undefined || second === undefined) return Number.NaN;
    return (first.mean - second.mean) / Math.sqrt(first.error + second.error);
  }

  it('takes the same time, whether the first byte is wrong or the last', function () {
    this.timeout(60_000);
    const known: Compare = (_, hash) => knownKey(credential, hash);
    expect(known(stored, Uint8Array.from(stored))).to.include({ id: credential.key.id });
    measure(known);
    expect(Math.abs(minimum(() => welch(measure(known))))).to.be.below(BOUND);
  });

  it('would be detected if it stopped at the first difference', function () {
    this.timeout(60_000);
    measure(isSame);
    expect(minimum(() => welch(measure(isSame)))).to.be.below(-2 * BOUND);
  });
});

/** The one nearest 0: a neighbour on the machine may move one of them, and what tells moves each. */
function minimum(measureOnce: () => number): number {
  const found = Array.from({ length: MEASURES }, measureOnce);
  return found.reduce((least, one) => (Math.abs(one) < Math.abs(least) ? one : least));
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  for (let at = 0; at < one.length; at += 1) {
    if (one[at] !== other[at]) return false;
  }
  return one.length === other.length;
}
