import { expect } from 'chai';
import {
  type BillingCalendar,
  boundary,
  firstBoundaryAfter,
  isTimezone,
} from '../../../../packages/core/src/billing/subscriptions/billing-calendar.ts';
import { ofToday } from '../../../support/depth.ts';

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

  it('of weeks and days do not depend on months', () => {
    const fortnight = calendar('2028-02-20T00:00:00Z', 'week', { intervalCount: 2 });
    expect(boundaries(fortnight, 1, 2)).to.deep.equal([
      '2028-03-05T00:00:00Z',
      '2028-03-19T00:00:00Z',
    ]);
    expect(boundaries(calendar('2028-02-28T12:00:00Z', 'day'), 1, 2)).to.deep.equal([
      '2028-02-29T12:00:00Z',
      '2028-03-01T12:00:00Z',
    ]);
  });

  it('of three years from a leap day come to one every twelve years', () => {
    const triennial = calendar('2028-02-29T00:00:00Z', 'year', { intervalCount: 3 });
    expect(boundaries(triennial, 1, 2, 3, 4)).to.deep.equal([
      '2031-02-28T00:00:00Z',
      '2034-02-28T00:00:00Z',
      '2037-02-28T00:00:00Z',
      '2040-02-29T00:00:00Z',
    ]);
  });

  it('of every second month from the 31st clamp and come back', () => {
    const second = calendar('2027-08-31T00:00:00Z', 'month', { intervalCount: 2 });
    expect(boundaries(second, 1, 2, 3, 4)).to.deep.equal([
      '2027-10-31T00:00:00Z',
      '2027-12-31T00:00:00Z',
      '2028-02-29T00:00:00Z',
      '2028-04-30T00:00:00Z',
    ]);
  });

  it('keep the wall clock where it changes by half an hour, and south of the equator', () => {
    const howe = calendar('2027-04-02T13:00:00Z', 'day', { timezone: 'Australia/Lord_Howe' });
    expect(boundaries(howe, 0, 1, 2)).to.deep.equal([
      '2027-04-02T13:00:00Z',
      '2027-04-03T13:00:00Z',
      '2027-04-04T13:30:00Z',
    ]);
    const auckland = calendar('2027-03-19T20:00:00Z', 'month', { timezone: 'Pacific/Auckland' });
    expect(boundaries(auckland, 0, 1)).to.deep.equal([
      '2027-03-19T20:00:00Z',
      '2027-04-19T21:00:00Z',
    ]);
  });

  it('are one moment where a zone skips a day', () => {
    const apia = calendar('2011-12-28T20:00:00Z', 'day', { timezone: 'Pacific/Apia' });
    expect(boundaries(apia, 1, 2, 3)).to.deep.equal([
      '2011-12-29T20:00:00Z',
      '2011-12-30T20:00:00Z',
      '2011-12-30T20:00:00Z',
    ]);
    expect(firstBoundaryAfter(apia, new Date('2011-12-30T20:00:00Z'))).to.equal(4);
  });

  it('rise in twelve zones, through both changes of the clock', () => {
    const zones = [
      'UTC',
      'Europe/Berlin',
      'Europe/London',
      'America/New_York',
      'America/Sao_Paulo',
      'America/St_Johns',
      'Africa/Casablanca',
      'Asia/Kolkata',
      'Asia/Kathmandu',
      'Asia/Tokyo',
      'Australia/Lord_Howe',
      'Pacific/Chatham',
    ];
    for (const timezone of ofToday(zones)) {
      const daily = calendar('2027-01-31T01:30:00Z', 'day', { timezone });
      const times = Array.from({ length: 366 }, (_, n) => boundary(daily, n).getTime());
      const hours = times.slice(1).map((time, n) => (time - (times[n] ?? 0)) / 3_600_000);
      expect(hours.filter((length) => length < 22 || length > 26)).to.deep.equal([]);
    }
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
