import { expect } from 'chai';
import {
  type Arrows,
  areaArrows,
  packageArrows,
  reaches,
  sliceArrows,
} from '../docs/imports-picture.ts';

describe('what imports what', () => {
  for (const [what, arrows] of [
    ['package', packageArrows()],
    ['area of core', areaArrows()],
    ['slice of payments', sliceArrows()],
  ] as const) {
    it(`no ${what} imports itself by way of others`, () => {
      expect([...arrows.keys()]).to.have.length.above(5);
      expect([...arrows.values()].flatMap((others) => [...others])).to.have.length.above(5);
      expect([...arrows.keys()].filter((name) => reaches(arrows, name, name))).to.deep.equal([]);
    });
  }

  it('a way round is found', () => {
    const round: Arrows = new Map([
      ['a', new Set(['b'])],
      ['b', new Set(['c'])],
      ['c', new Set(['a'])],
      ['d', new Set(['a'])],
    ]);
    expect([...round.keys()].filter((name) => reaches(round, name, name))).to.deep.equal([
      'a',
      'b',
      'c',
    ]);
  });
});
