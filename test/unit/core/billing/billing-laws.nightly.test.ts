import fc from 'fast-check';
import { histories, playHistory } from './play-history.ts';

const HISTORIES = { numRuns: 100_000 };

describe('a hundred thousand random histories of subscriptions', function () {
  this.timeout(60 * 60_000);

  it('bill each period what its prices cost while they were in force, and preview what they bill', () => {
    fc.assert(
      fc.property(histories, (history) => playHistory(history, true)),
      HISTORIES,
    );
  });

  it('never give back more than was billed, also with changes that are not prorated', () => {
    fc.assert(
      fc.property(histories, (history) => playHistory(history, false)),
      HISTORIES,
    );
  });
});
