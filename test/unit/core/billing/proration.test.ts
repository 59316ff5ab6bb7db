import { expect } from 'chai';
import fc from 'fast-check';
import {
  type BilledItem,
  changedWithoutProration,
  costBetween,
  prorated,
} from '../../../../packages/core/src/billing/subscriptions/proration.ts';

const MARCH = { start: new Date('2030-03-01T00:00:00Z'), end: new Date('2030-04-01T00:00:00Z') };

interface Change {
  /** Seconds after the period's start. */
  readonly after: number;
  /** Undefined: the item is removed. */
  readonly full: bigint | undefined;
  readonly isProrated: boolean;
}

describe('prorations', () => {
  it('cost a partition exactly what the whole costs', () => {
    const cuts = fc.array(fc.integer({ min: 0, max: 2_678_400 }), { maxLength: 20 });
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 99_999_999n }), cuts, (full, seconds) => {
        const times = [0, ...seconds.toSorted((a, b) => a - b), 2_678_400].map(
          (second) => new Date(MARCH.start.getTime() + second * 1000),
        );
        const parts = times.slice(1).map((to, at) => costBetween(full, MARCH, times[at] ?? to, to));
        expect(parts.reduce((sum, part) => sum + part, 0n)).to.equal(full);
        expect(parts.every((part) => part >= 0n)).to.equal(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('of any history add up to what each price costs while it was in force', () => {
    const change = fc.record({
      after: fc.integer({ min: 0, max: 2_678_400 }),
      full: fc.option(fc.bigInt({ min: 0n, max: 99_999_999n }), { nil: undefined }),
      isProrated: fc.constant(true),
    });
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 99_999_999n }),
        fc.array(change, { maxLength: 12 }),
        (first, changes) => {
          const { billed, inForce } = play(first, changes);
          expect(billed).to.equal(inForce);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('never give back more than was billed, whatever is changed without them', () => {
    const change = fc.record({
      after: fc.integer({ min: 0, max: 2_678_400 }),
      full: fc.option(fc.bigInt({ min: 0n, max: 99_999_999n }), { nil: undefined }),
      isProrated: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.option(fc.bigInt({ min: 0n, max: 99_999_999n }), { nil: undefined }),
        fc.array(change, { maxLength: 12 }),
        (first, changes) => {
          const { sums } = play(first, changes);
          expect(sums.every((sum) => sum >= 0n)).to.equal(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

/** What a history bills, after each step and in all, and what its prices cost while in force. */
function play(first: bigint | undefined, changes: readonly Change[]) {
  let item: BilledItem | undefined =
    first === undefined ? { full: 0n } : { full: first, billed: first };
  let billed = first ?? 0n;
  let inForce = 0n;
  let since = MARCH.start;
  const sums: bigint[] = [];
  for (const { after, full, isProrated } of changes.toSorted((a, b) => a.after - b.after)) {
    const at = new Date(MARCH.start.getTime() + after * 1000);
    inForce += costBetween(item?.full ?? 0n, MARCH, since, at);
    since = at;
    if (isProrated || full === undefined) {
      const { credit, debit, item: next } = prorated(item, full, { period: MARCH, at });
      expect(credit <= 0n && debit >= 0n).to.equal(true);
      billed += credit + debit;
      item = next;
    } else item = changedWithoutProration(item, full);
    sums.push(billed);
  }
  inForce += costBetween(item?.full ?? 0n, MARCH, since, MARCH.end);
  return { billed, inForce, sums };
}
