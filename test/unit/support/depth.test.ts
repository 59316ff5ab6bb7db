import { expect } from 'chai';
import { isNightly, ofToday, oneOfToday, SAMPLE_DAYS, sampleDay } from '../../support/depth.ts';

const ITEMS = Array.from({ length: 20 }, (_, index) => index);

describe('the sample of a day', () => {
  before(function () {
    // The nightly run takes no sample.
    if (isNightly) this.skip();
  });

  it('is another seventh of a list each day', () => {
    expect(SAMPLE_DAYS).to.equal(7);
    expect(ofToday(ITEMS)).to.deep.equal(ITEMS.filter((index) => index % 7 === sampleDay));
  });

  it('is never empty where there is something', () => {
    expect(ofToday(['only'])).to.deep.equal(['only']);
    expect(ofToday([])).to.deep.equal([]);
  });

  it('is another one item each day, and for each neighbor', () => {
    expect(oneOfToday(ITEMS)).to.deep.equal([sampleDay]);
    expect(oneOfToday(ITEMS, 19)).to.deep.equal([(sampleDay + 19) % 20]);
  });
});
