import { expect } from 'chai';
import { RestartTimes } from '../../../../packages/webhooks/src/retries/restart-times.ts';

const SECOND = 1_000;
const LATE_MS = 15 * SECOND;

/** Seconds at which it restarts, if it is asked every 10 s. @param lateUntil seconds */
function restarts(
  times: RestartTimes,
  { from = 0, to, lateUntil = to }: { from?: number; to: number; lateUntil?: number },
): readonly number[] {
  const found: number[] = [];
  for (let at = from; at < to; at += 10) {
    const overdueMs = at < lateUntil ? LATE_MS : LATE_MS - 1;
    if (times.isTime(overdueMs, at * SECOND)) found.push(at);
  }
  return found;
}

describe('A retry listener beside overdue deliveries', () => {
  it('is restarted at once, and then less and less often: after 30 s, 1 minute, 2 minutes', () => {
    const times = new RestartTimes();
    expect(restarts(times, { to: 900 })).to.deep.equal([0, 30, 90, 210, 450]);
  });

  it('is restarted every half hour at last', () => {
    const found = restarts(new RestartTimes(), { to: 20_000 });
    const waits = found.map((at, index) => at - (found[index - 1] ?? 0)).slice(-3);
    expect(waits).to.deep.equal([1_800, 1_800, 1_800]);
  });

  it('begins anew once nothing is overdue', () => {
    const times = new RestartTimes();
    expect(restarts(times, { to: 600, lateUntil: 220 })).to.deep.equal([0, 30, 90, 210]);
    expect(restarts(times, { from: 600, to: 700 })).to.deep.equal([600, 630, 690]);
    // The wait that the last restart began, until 810, is over too.
    expect(restarts(times, { from: 700, to: 710, lateUntil: 700 })).to.deep.equal([]);
    expect(restarts(times, { from: 710, to: 750 })).to.deep.equal([710, 740]);
  });
});
