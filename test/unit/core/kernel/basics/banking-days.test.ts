import { bankingDaysLater, isBankingDay } from '@paymount/core/kernel';
import { expect } from 'chai';

/** The weekdays without banks, from the Federal Reserve's published schedules. */
const CLOSED: Readonly<Record<number, string>> = {
  2022: '01-17 02-21 05-30 06-20 07-04 09-05 10-10 11-11 11-24 12-26',
  2023: '01-02 01-16 02-20 05-29 06-19 07-04 09-04 10-09 11-23 12-25',
  2024: '01-01 01-15 02-19 05-27 06-19 07-04 09-02 10-14 11-11 11-28 12-25',
  2025: '01-01 01-20 02-17 05-26 06-19 07-04 09-01 10-13 11-11 11-27 12-25',
  2026: '01-01 01-19 02-16 05-25 06-19 09-07 10-12 11-11 11-26 12-25',
  2027: '01-01 01-18 02-15 05-31 07-05 09-06 10-11 11-11 11-25',
  2028: '01-17 02-21 05-29 06-19 07-04 09-04 10-09 11-23 12-25',
};

/** When what was sent at a time is settled four banking days later. */
const CLEARING: readonly (readonly [sent: string, clears: string, why: string])[] = [
  ['2027-01-11T15:00:00Z', '2027-01-15T13:30:00.000Z', 'no holiday'],
  ['2027-01-15T15:00:00Z', '2027-01-22T13:30:00.000Z', 'a weekend and a holiday on Monday'],
  ['2027-01-16T15:00:00Z', '2027-01-22T13:30:00.000Z', 'sent on a Saturday'],
  ['2026-12-24T15:00:00Z', '2026-12-31T13:30:00.000Z', 'Christmas on a Friday'],
  ['2027-07-02T15:00:00Z', '2027-07-09T13:30:00.000Z', 'the Fourth of July on a Sunday'],
  ['2026-07-02T15:00:00Z', '2026-07-08T13:30:00.000Z', 'the Fourth of July on a Saturday'],
  ['2027-12-23T15:00:00Z', '2027-12-29T13:30:00.000Z', 'Christmas on a Saturday'],
  ['2027-12-30T15:00:00Z', '2028-01-05T13:30:00.000Z', 'New Year on a Saturday'],
  ['2027-01-12T03:00:00Z', '2027-01-15T13:30:00.000Z', 'still Monday in New York'],
  ['2027-01-12T06:00:00Z', '2027-01-19T13:30:00.000Z', 'Tuesday in New York too'],
  ['2028-02-25T15:00:00Z', '2028-03-02T13:30:00.000Z', 'a leap day'],
];

describe('Banking days', () => {
  for (const [year, closed] of Object.entries(CLOSED)) {
    it(`of ${year} are all weekdays but the holidays of the Federal Reserve`, () => {
      const found: string[] = [];
      const day = new Date(`${year}-01-01T00:00:00Z`);
      for (; day.getUTCFullYear() === Number(year); day.setUTCDate(day.getUTCDate() + 1)) {
        const isWeekend = day.getUTCDay() === 0 || day.getUTCDay() === 6;
        const isOpen = isBankingDay({
          year: Number(year),
          month: day.getUTCMonth() + 1,
          day: day.getUTCDate(),
        });
        if (isWeekend) expect(isOpen, day.toISOString()).to.equal(false);
        else if (!isOpen) found.push(day.toISOString().slice(5, 10));
      }
      expect(found.join(' ')).to.equal(closed);
    });
  }

  for (const [sent, clears, why] of CLEARING) {
    it(`let a debit of ${sent} clear at ${clears}: ${why}`, () => {
      expect(bankingDaysLater(new Date(sent), 4).toISOString()).to.equal(clears);
    });
  }
});
