import { ATTEMPT_WAITS_SECONDS, attemptVerdict, waitBefore } from '@paymount/core/events';
import { expect } from 'chai';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe('the attempt schedule', () => {
  it('waits at once, 5 min, 30 min, 2 h, 6 h, 12 h, 24 h and 48 h', () => {
    expect(ATTEMPT_WAITS_SECONDS).to.deep.equal([
      0, 300, 1800, 7200, 21_600, 43_200, 86_400, 172_800,
    ]);
  });

  it('never sends early, and at most 1 % or a minute late by jitter', () => {
    expect(waitBefore(2, 0)).to.equal(5 * MINUTE);
    expect(waitBefore(2, 1)).to.equal(5 * MINUTE + 3 * SECOND);
    expect(waitBefore(8, 1)).to.equal(48 * HOUR + MINUTE);
  });

  it('follows Retry-After between the wait and twice the wait', () => {
    expect(waitBefore(2, 0, 10 * SECOND)).to.equal(5 * MINUTE);
    expect(waitBefore(2, 0, 7 * MINUTE)).to.equal(7 * MINUTE);
    expect(waitBefore(2, 0, 24 * HOUR)).to.equal(10 * MINUTE);
  });

  it('knows no ninth attempt', () => {
    expect(() => waitBefore(9, 0)).to.throw(RangeError, 'There is no attempt 9.');
    expect(attemptVerdict({ succeeded: false, attempt: 8, random: 0 })).to.deep.equal({
      next: 'failed',
    });
  });

  it('retries after a failed first attempt, and stops after a success', () => {
    expect(attemptVerdict({ succeeded: false, attempt: 1, random: 0 })).to.deep.equal({
      next: 'retry',
      attempt: 2,
      waitMs: 5 * MINUTE,
    });
    expect(attemptVerdict({ succeeded: true, attempt: 3, random: 0 })).to.deep.equal({
      next: 'succeeded',
    });
  });
});
