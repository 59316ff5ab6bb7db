import { expect } from 'chai';
import { isNightly } from '../../support/depth.ts';
import { sampleFor } from '../../support/sample-for.ts';

const CLASS = Array.from({ length: 13 }, (_, index) => index);

describe('what a route is tested with', () => {
  it('is of the class, and never nothing', () => {
    for (const length of [1, 2, 7, 13]) {
      const items = CLASS.slice(0, length);
      for (const index of CLASS) {
        const taken = sampleFor(index, items);
        expect(items).to.include.members([...taken]);
        expect(taken.length).to.be.within(1, isNightly ? length : 2);
      }
    }
    expect(sampleFor(3, [])).to.deep.equal([]);
  });

  it('is, for as many neighbors as the class has items, the whole class', () => {
    const taken = CLASS.flatMap((index) => sampleFor(index, CLASS));
    expect([...new Set(taken)].toSorted((one, other) => one - other)).to.deep.equal(CLASS);
  });
});
