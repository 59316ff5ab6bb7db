import { expect } from 'chai';
import {
  type BillingCalendar,
  boundary,
  firstBoundaryAfter,
  isTimezone,
} from '../../../../packages/core/src/billing/subscriptions/billing-calendar.ts';

const calendar = (
  anchor: string,
  interval: BillingCalendar['interval'],
  more: Partial<BillingCalendar> = {},
): BillingCalendar => ({
  anchor: new Date(anchor),
  timezone: 'UTC',
  interval,
  intervalCount: 1,
  ...more,
});

const boundaries = (of: BillingCalendar, ...numbers: readonly number[]): readonly string[] =>
  numbers.map((n) => boundary(of, n).toISOString().replace('.000Z', 'Z'));

describe('the boundaries of billing periods', () => {
  it('clamp to the month, and come back to the day of the anchor', () => {
    expect(boundaries(calendar('2027-01-31T10:00:00Z', 'month'), 0, 1, 2, 3, 12, 13)).to.deep.equal(
      [
        '2027-01-31T10:00:00Z',
        '2027-02-28T10:00:00Z',
        '2027-03-31T10:00:00Z',
        '2027-04-30T10:00:00Z',
        '2028-01-31T10:00:00Z',
        '2028-02-29T10:00:00Z',
      ],
    );
  });

  it('of a year from a leap day are 28 February, and 29 February again', () => {
    expect(boundaries(calendar('2028-02-29T00:00:00Z', 'year'), 1, 2, 3, 4)).to.deep.equal([
      '2029-02-28T00:00:00Z',
      '2030-02-28T00:00:00Z',
      '2031-02-28T00:00:00Z',
      '2032-02-29T00:00:00Z',
    ]);
  });

  it('keep the wall clock of their zone through both changes of the clock', () => {
    const daily = calendar('2027-03-27T08:00:00Z', 'day', { timezone: 'Europe/Berlin' });
    expect(boundaries(daily, 0, 1, 2)).to.deep.equal([
      '2027-03-27T08:00:00Z',
      '2027-03-28T07:00:00Z',
      '2027-03-29T07:00:00Z',
    ]);
    const weekly = calendar('2027-10-24T19:30:00Z', 'week', { timezone: 'America/New_York' });
    expect(boundaries(weekly, 1, 2, 3)).to.deep.equal([
      '2027-10-31T19:30:00Z',
      '2027-11-07T20:30:00Z',
      '2027-11-14T20:30:00Z',
    ]);
  });

  it('move a skipped local time forward, and take the first of a repeated one', () => {
    const skipped = calendar('2027-03-27T01:30:00Z', 'day', { timezone: 'Europe/Berlin' });
    expect(boundaries(skipped, 1, 2)).to.deep.equal([
      '2027-03-28T01:30:00Z',
      '2027-03-29T00:30:00Z',
    ]);
    const repeated = calendar('2027-10-30T00:30:00Z', 'day', { timezone: 'Europe/Berlin' });
    expect(boundaries(repeated, 1, 2)).to.deep.equal([
      '2027-10-31T00:30:00Z',
      '2027-11-01T01:30:00Z',
    ]);
  });

  it('are of the local date, not of the date in UTC', () => {
    // 31 January in New York is 1 February in UTC.
    const newYork = calendar('2027-02-01T03:00:00Z', 'month', { timezone: 'America/New_York' });
    expect(boundaries(newYork, 1, 2)).to.deep.equal([
      '2027-03-01T03:00:00Z',
      '2027-04-01T02:00:00Z',
    ]);
  });

  it('go backwards, for the interval that ends at the anchor', () => {
    expect(boundaries(calendar('2027-03-31T00:00:00Z', 'month'), -1, -2)).to.deep.equal([
      '2027-02-28T00:00:00Z',
      '2027-01-31T00:00:00Z',
    ]);
  });

  it('are found after any time', () => {
    const monthly = calendar('2027-01-31T10:00:00Z', 'month');
    expect(firstBoundaryAfter(monthly, new Date('2027-01-31T10:00:00Z'))).to.equal(1);
    expect(firstBoundaryAfter(monthly, new Date('2027-02-28T09:59:59Z'))).to.equal(1);
    expect(firstBoundaryAfter(monthly, new Date('2027-02-28T10:00:00Z'))).to.equal(2);
    const quarterly = { ...monthly, intervalCount: 3 };
    expect(firstBoundaryAfter(quarterly, new Date('2030-01-31T10:00:00Z'))).to.equal(13);
  });

  it('need the name of a zone', () => {
    expect(['UTC', 'Europe/Berlin', 'America/New_York'].every(isTimezone)).to.equal(true);
    expect(['Mars/Olympus', '+01:00', '', 'CEST2'].some(isTimezone)).to.equal(false);
  });
});
