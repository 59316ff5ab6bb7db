import { expect } from 'chai';
import { isNightly, ofToday, SAMPLE_DAYS, sampleDay } from '../../support/depth.ts';

const ITEMS = Array.from({ length: 20 }, (_, index) => index);

describe('the sample of a day', () => {
  it('is another seventh of a list each day, and the whole list in the nightly run', () => {
    expect(SAMPLE_DAYS).to.equal(7);
    const share = ITEMS.filter((index) => index % 7 === sampleDay);
    expect(ofToday(ITEMS)).to.deep.equal(isNightly ? ITEMS : share);
  });

  it('is never empty where there is something', () => {
    expect(ofToday(['only'])).to.deep.equal(['only']);
    expect(ofToday([])).to.deep.equal([]);
  });

  it('is of the list, and never nothing, for every neighbor', () => {
    for (const length of [1, 2, 7, 13]) {
      const items = ITEMS.slice(0, length);
      for (const offset of ITEMS) {
        const taken = ofToday(items, offset);
        expect(items).to.include.members([...taken]);
        expect(taken.length).to.be.within(1, isNightly ? length : 2);
      }
    }
  });

  it('is, for as many neighbors as the list has items, the whole list', () => {
    const taken = ITEMS.flatMap((offset) => ofToday(ITEMS, offset));
    expect([...new Set(taken)].toSorted((one, other) => one - other)).to.deep.equal(ITEMS);
  });
});
