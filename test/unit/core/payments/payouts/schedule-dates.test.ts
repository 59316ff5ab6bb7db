import { expect } from 'chai';
import type { PayoutSchedule } from '../../../../../packages/core/src/payments/payouts/payout-schedule.ts';
import {
  heldSince,
  lastDueAt,
  nextDueAt,
} from '../../../../../packages/core/src/payments/payouts/schedule-dates.ts';

const since = new Date('2026-01-01T00:00:00.000Z');
const daily: PayoutSchedule = { interval: 'daily', delayDays: 2, since };
const weekly: PayoutSchedule = { interval: 'weekly', weeklyAnchor: 'friday', delayDays: 2, since };
const monthly = (monthlyAnchor: number): PayoutSchedule => ({
  interval: 'monthly',
  monthlyAnchor,
  delayDays: 2,
  since,
});

const last = (schedule: PayoutSchedule, now: string) =>
  lastDueAt(schedule, new Date(now))?.toISOString().slice(0, 16);
const next = (schedule: PayoutSchedule, now: string) =>
  nextDueAt(schedule, new Date(now))?.toISOString().slice(0, 16);

describe('The due moments of payout schedules', () => {
  it('are every midnight of UTC if daily, Sundays and holidays too', () => {
    // 29 November 2026 is a Sunday.
    expect(last(daily, '2026-11-29T00:00:00.000Z')).to.equal('2026-11-29T00:00');
    expect(last(daily, '2026-11-28T23:59:59.999Z')).to.equal('2026-11-28T00:00');
    expect(next(daily, '2026-11-29T00:00:00.000Z')).to.equal('2026-11-30T00:00');
    expect(next(daily, '2026-12-31T12:00:00.000Z')).to.equal('2027-01-01T00:00');
  });

  it('are the beginning of one day of each week if weekly', () => {
    // 27 November 2026 is a Friday.
    expect(last(weekly, '2026-11-27T00:00:00.000Z')).to.equal('2026-11-27T00:00');
    expect(last(weekly, '2026-11-26T23:59:59.999Z')).to.equal('2026-11-20T00:00');
    expect(last(weekly, '2026-12-03T23:00:00.000Z')).to.equal('2026-11-27T00:00');
    expect(next(weekly, '2026-11-27T00:00:00.000Z')).to.equal('2026-12-04T00:00');
    expect(next(weekly, '2026-11-26T23:59:59.999Z')).to.equal('2026-11-27T00:00');
  });

  it('are one day of each month if monthly, and the last day of a month that is shorter', () => {
    const anchors = [
      ['2027-01-30T00:00:00.000Z', '2026-12-31T00:00', '2027-01-31T00:00'],
      ['2027-01-31T00:00:00.000Z', '2027-01-31T00:00', '2027-02-28T00:00'],
      ['2027-02-28T00:00:00.000Z', '2027-02-28T00:00', '2027-03-31T00:00'],
      ['2027-03-30T23:59:59.999Z', '2027-02-28T00:00', '2027-03-31T00:00'],
      ['2028-02-29T00:00:00.000Z', '2028-02-29T00:00', '2028-03-31T00:00'],
      ['2028-12-31T00:00:00.000Z', '2028-12-31T00:00', '2029-01-31T00:00'],
    ] as const;
    for (const [now, expectedLast, expectedNext] of anchors) {
      expect([last(monthly(31), now), next(monthly(31), now)], now).to.deep.equal([
        expectedLast,
        expectedNext,
      ]);
    }
    expect(last(monthly(1), '2027-01-01T00:00:00.000Z')).to.equal('2027-01-01T00:00');
    expect(next(monthly(1), '2027-01-01T00:00:00.000Z')).to.equal('2027-02-01T00:00');
  });

  it('count only from when the schedule was set, and there are none if it is manual', () => {
    const late = { ...daily, since: new Date('2026-11-29T00:00:00.000Z') };
    expect(last(late, '2026-11-29T23:00:00.000Z')).to.equal(undefined);
    expect(last(late, '2026-11-30T00:00:00.000Z')).to.equal('2026-11-30T00:00');
    const manual = { interval: 'manual', delayDays: 2 } as const;
    expect(last(manual, '2026-11-29T23:00:00.000Z')).to.equal(undefined);
    expect(next(manual, '2026-11-29T23:00:00.000Z')).to.equal(undefined);
  });

  it('leave charges of the last days for the next payout', () => {
    const due = new Date('2026-03-01T00:00:00.000Z');
    expect(heldSince(daily, due).toISOString()).to.equal('2026-02-27T00:00:00.000Z');
    expect(heldSince({ ...daily, delayDays: 0 }, due)).to.deep.equal(due);
  });
});
