import { expect } from 'chai';
import { measureSpread, percentile } from '../support/statistics.ts';

describe('the spread of a figure', () => {
  it('takes the middle of an odd number of rounds', () => {
    expect(measureSpread([0.9, 0.5, 0.7])).to.deep.equal({
      median: 0.7,
      min: 0.5,
      max: 0.9,
      noisy: false,
    });
  });

  it('takes the mean of the two in the middle of an even number', () => {
    expect(measureSpread([4, 1, 2, 10]).median).to.equal(3);
  });

  it('is noisy beyond a factor of two, and not at exactly two', () => {
    expect(measureSpread([1, 2]).noisy).to.equal(false);
    expect(measureSpread([1, 2.01]).noisy).to.equal(true);
  });

  it('orders numbers as numbers', () => {
    expect(measureSpread([10, 9, 100]).median).to.equal(10);
  });

  it('refuses to judge a figure that was not measured', () => {
    expect(() => measureSpread([])).to.throw(RangeError, 'No value was measured.');
  });
});

describe('a percentile', () => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index);

  it('is the smallest value that the share does not exceed', () => {
    expect([
      percentile(values, 0.5),
      percentile(values, 0.99),
      percentile(values, 1),
    ]).to.deep.equal([50, 99, 100]);
  });

  it('of a single value is that value', () => {
    expect([percentile([7], 0), percentile([7], 0.99)]).to.deep.equal([7, 7]);
  });
});
