import fc from 'fast-check';
import { histories, playHistory } from './play-history.ts';

describe('random histories of subscriptions', () => {
  it('bill each period what its prices cost while they were in force, and preview what they bill', () => {
    fc.assert(
      fc.property(histories, (history) => playHistory(history, true)),
      { numRuns: 150 },
    );
  });

  it('never give back more than was billed, also with changes that are not prorated', () => {
    fc.assert(
      fc.property(histories, (history) => playHistory(history, false)),
      { numRuns: 150 },
    );
  });
});
