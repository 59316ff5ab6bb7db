import type { Plan } from './play-subscription.ts';
import { type Example, playExamples, to } from './proration-example.ts';

// April 2030 has 30 days, so Basic costs 100 a day.
const PRO: Plan = { a: ['Pro', 6_000] };
const MAX: Plan = { a: ['Max', 9_000] };
const seats = (quantity: number): Plan => ({ a: ['Basic', 3_000, quantity] });
const none = { behavior: 'none' } as const;

const SEVERAL_CHANGES: readonly Example[] = [
  [
    'up, and back again ten days later',
    {},
    [
      to('2030-04-11', PRO),
      [
        '-2000 Unused time on Basic after 11 Apr 2030',
        '4000 Remaining time on Pro after 11 Apr 2030',
      ],
    ],
    [
      to('2030-04-21', seats(1)),
      [
        '-2000 Unused time on Pro after 21 Apr 2030',
        '1000 Remaining time on Basic after 21 Apr 2030',
      ],
    ],
  ],
  [
    'up and back in one second: nothing in all',
    {},
    [
      to('2030-04-11', PRO),
      [
        '-2000 Unused time on Basic after 11 Apr 2030',
        '4000 Remaining time on Pro after 11 Apr 2030',
      ],
    ],
    [
      to('2030-04-11', seats(1)),
      [
        '-4000 Unused time on Pro after 11 Apr 2030',
        '2000 Remaining time on Basic after 11 Apr 2030',
      ],
    ],
  ],
  [
    'three plans in one second',
    {},
    [
      to('2030-04-16', PRO),
      [
        '-1500 Unused time on Basic after 16 Apr 2030',
        '3000 Remaining time on Pro after 16 Apr 2030',
      ],
    ],
    [
      to('2030-04-16', MAX),
      [
        '-3000 Unused time on Pro after 16 Apr 2030',
        '4500 Remaining time on Max after 16 Apr 2030',
      ],
    ],
  ],
  [
    'a seat more, and another one',
    {},
    [
      to('2030-04-11', seats(2)),
      [
        '-2000 Unused time on Basic after 11 Apr 2030',
        '4000 Remaining time on 2 × Basic after 11 Apr 2030',
      ],
    ],
    [
      to('2030-04-21', seats(3)),
      [
        '-2000 Unused time on 2 × Basic after 21 Apr 2030',
        '3000 Remaining time on 3 × Basic after 21 Apr 2030',
      ],
    ],
  ],
  [
    'amounts that do not divide: 13.32 in all, as each price costs for its ten days',
    { plan: { a: ['Ten', 1_000] } },
    [
      to('2030-04-11', { a: ['Twenty', 2_000] }),
      [
        '-667 Unused time on Ten after 11 Apr 2030',
        '1333 Remaining time on Twenty after 11 Apr 2030',
      ],
    ],
    [
      to('2030-04-21', { a: ['Ten', 1_000] }),
      [
        '-667 Unused time on Twenty after 21 Apr 2030',
        '333 Remaining time on Ten after 21 Apr 2030',
      ],
    ],
  ],
  [
    'without prorations, and then with them: the credit is for what was billed',
    {},
    [to('2030-04-11', PRO, none), []],
    [
      to('2030-04-21', MAX),
      [
        '-1000 Unused time on Basic after 21 Apr 2030',
        '3000 Remaining time on Max after 21 Apr 2030',
      ],
    ],
  ],
  [
    'a downgrade without prorations, and then another plan',
    { plan: PRO },
    [to('2030-04-11', seats(1), none), []],
    [
      to('2030-04-16', MAX),
      [
        '-3000 Unused time on Pro after 16 Apr 2030',
        '4500 Remaining time on Max after 16 Apr 2030',
      ],
    ],
  ],
  [
    'with prorations, and then without them',
    {},
    [
      to('2030-04-11', PRO),
      [
        '-2000 Unused time on Basic after 11 Apr 2030',
        '4000 Remaining time on Pro after 11 Apr 2030',
      ],
    ],
    [to('2030-04-21', seats(1), none), []],
    ['renew', ['3000 1 × Basic (at 30.00 EUR / month)']],
  ],
  [
    'an item that is added and removed in one second',
    {},
    [
      to('2030-04-16', { a: ['Basic', 3_000], b: ['Extra', 1_500] }),
      ['750 Remaining time on Extra after 16 Apr 2030'],
    ],
    [to('2030-04-16', seats(1)), ['-750 Unused time on Extra after 16 Apr 2030']],
  ],
  [
    'an item that is removed, and added later',
    { plan: { a: ['Basic', 3_000], b: ['Extra', 1_500] } },
    [to('2030-04-11', seats(1)), ['-1000 Unused time on Extra after 11 Apr 2030']],
    [
      to('2030-04-21', { a: ['Basic', 3_000], b: ['Extra', 1_500] }),
      ['500 Remaining time on Extra after 21 Apr 2030'],
    ],
  ],
  [
    'an item that is added, and changed later',
    {},
    [
      to('2030-04-11', { a: ['Basic', 3_000], b: ['Extra', 1_500] }),
      ['1000 Remaining time on Extra after 11 Apr 2030'],
    ],
    [
      to('2030-04-21', { a: ['Basic', 3_000], b: ['Extra', 1_500, 2] }),
      [
        '-500 Unused time on Extra after 21 Apr 2030',
        '1000 Remaining time on 2 × Extra after 21 Apr 2030',
      ],
    ],
  ],
  [
    'a time in the past for which it is prorated',
    {},
    [
      to('2030-04-20', PRO, { date: '2030-04-16T00:00:00Z' }),
      [
        '-1500 Unused time on Basic after 16 Apr 2030',
        '3000 Remaining time on Pro after 16 Apr 2030',
      ],
    ],
  ],
  [
    'two changes on one day, both prorated from its beginning',
    {},
    [
      to('2030-04-16T09:00:00Z', PRO, { date: '2030-04-16T00:00:00Z' }),
      [
        '-1500 Unused time on Basic after 16 Apr 2030',
        '3000 Remaining time on Pro after 16 Apr 2030',
      ],
    ],
    [
      to('2030-04-16T17:30:00Z', MAX, { date: '2030-04-16T00:00:00Z' }),
      [
        '-3000 Unused time on Pro after 16 Apr 2030',
        '4500 Remaining time on Max after 16 Apr 2030',
      ],
    ],
  ],
  [
    'the whole period, from its beginning',
    {},
    [
      to('2030-04-20', PRO, { date: '2030-04-01T00:00:00Z' }),
      [
        '-3000 Unused time on Basic after 1 Apr 2030',
        '6000 Remaining time on Pro after 1 Apr 2030',
      ],
    ],
  ],
];

const PERIODS: readonly Example[] = [
  [
    'a month of 31 days',
    { at: '2030-03-01T00:00:00Z', plan: { a: ['Small', 3_100] } },
    [
      to('2030-03-16', { a: ['Large', 6_200] }),
      [
        '-1600 Unused time on Small after 16 Mar 2030',
        '3200 Remaining time on Large after 16 Mar 2030',
      ],
    ],
  ],
  [
    'a February of 28 days',
    { at: '2030-02-01T00:00:00Z', plan: { a: ['Small', 2_800] } },
    [
      to('2030-02-15', { a: ['Large', 5_600] }),
      [
        '-1400 Unused time on Small after 15 Feb 2030',
        '2800 Remaining time on Large after 15 Feb 2030',
      ],
    ],
  ],
  [
    'a leap day, the last of its month',
    { at: '2032-02-01T00:00:00Z', plan: { a: ['Small', 2_900] } },
    [
      to('2032-02-29', { a: ['Large', 5_800] }),
      [
        '-100 Unused time on Small after 29 Feb 2032',
        '200 Remaining time on Large after 29 Feb 2032',
      ],
    ],
  ],
  [
    'a month that begins on a leap day',
    { at: '2032-02-29T00:00:00Z', plan: { a: ['Small', 2_900] } },
    [
      to('2032-03-15', { a: ['Large', 5_800] }),
      [
        '-1400 Unused time on Small after 15 Mar 2032',
        '2800 Remaining time on Large after 15 Mar 2032',
      ],
    ],
  ],
  [
    'a year from a leap day, which has 365 days',
    { at: '2032-02-29T00:00:00Z', interval: 'year', plan: { a: ['Small', 36_500] } },
    [
      to('2032-06-08', { a: ['Large', 73_000] }),
      [
        '-26500 Unused time on Small after 8 Jun 2032',
        '53000 Remaining time on Large after 8 Jun 2032',
      ],
    ],
  ],
  [
    'a year with a leap day, which has 366 days',
    { at: '2032-01-01T00:00:00Z', interval: 'year', plan: { a: ['Small', 36_600] } },
    [
      to('2032-04-10', { a: ['Large', 73_200] }),
      [
        '-26600 Unused time on Small after 10 Apr 2032',
        '53200 Remaining time on Large after 10 Apr 2032',
      ],
    ],
  ],
  [
    'a month that is cut to the end of February, and the month after it',
    { at: '2030-01-31T00:00:00Z', plan: { a: ['Small', 2_800] } },
    [
      to('2030-02-14', { a: ['Large', 5_600] }),
      [
        '-1400 Unused time on Small after 14 Feb 2030',
        '2800 Remaining time on Large after 14 Feb 2030',
      ],
    ],
    ['renew', ['5600 1 × Large (at 56.00 EUR / month)']],
    [
      to('2030-03-15', { a: ['Small', 3_100] }),
      [
        '-2890 Unused time on Large after 15 Mar 2030',
        '1600 Remaining time on Small after 15 Mar 2030',
      ],
    ],
  ],
  [
    'a week',
    { interval: 'week', plan: { a: ['Small', 700] } },
    [
      to('2030-04-04', { a: ['Large', 1_400] }),
      [
        '-400 Unused time on Small after 4 Apr 2030',
        '800 Remaining time on Large after 4 Apr 2030',
      ],
    ],
  ],
  [
    'two weeks',
    { interval: 'week', count: 2, plan: { a: ['Small', 1_400] } },
    [
      to('2030-04-08', { a: ['Large', 2_800] }),
      [
        '-700 Unused time on Small after 8 Apr 2030',
        '1400 Remaining time on Large after 8 Apr 2030',
      ],
    ],
    ['renew', ['2800 1 × Large (at 28.00 EUR / 2 weeks)']],
  ],
  [
    'a day',
    { interval: 'day', plan: { a: ['Small', 86_400] } },
    [
      to('2030-04-01T06:00:00Z', { a: ['Large', 172_800] }),
      [
        '-64800 Unused time on Small after 1 Apr 2030',
        '129600 Remaining time on Large after 1 Apr 2030',
      ],
    ],
  ],
  [
    'a quarter, which has 91 days',
    { count: 3, plan: { a: ['Small', 9_100] } },
    [
      to('2030-05-01', { a: ['Large', 18_200] }),
      [
        '-6100 Unused time on Small after 1 May 2030',
        '12200 Remaining time on Large after 1 May 2030',
      ],
    ],
  ],
  [
    'a year',
    { at: '2030-01-01T00:00:00Z', interval: 'year', plan: { a: ['Small', 36_500] } },
    [
      to('2030-04-11', { a: ['Large', 73_000] }),
      [
        '-26500 Unused time on Small after 11 Apr 2030',
        '53000 Remaining time on Large after 11 Apr 2030',
      ],
    ],
  ],
];

const ZONES: readonly Example[] = [
  [
    'a day of 23 hours in Berlin, after 11 of them',
    {
      at: '2030-03-30T23:00:00Z',
      zone: 'Europe/Berlin',
      interval: 'day',
      plan: { a: ['Small', 2_300] },
    },
    [
      to('2030-03-31T10:00:00Z', { a: ['Large', 4_600] }),
      [
        '-1200 Unused time on Small after 31 Mar 2030',
        '2400 Remaining time on Large after 31 Mar 2030',
      ],
    ],
  ],
  [
    'a day of 25 hours in Berlin, after 10 of them',
    {
      at: '2030-10-26T22:00:00Z',
      zone: 'Europe/Berlin',
      interval: 'day',
      plan: { a: ['Small', 2_500] },
    },
    [
      to('2030-10-27T08:00:00Z', { a: ['Large', 5_000] }),
      [
        '-1500 Unused time on Small after 27 Oct 2030',
        '3000 Remaining time on Large after 27 Oct 2030',
      ],
    ],
  ],
  [
    'a week in Berlin with a missing hour: 167 hours, after 67 of them',
    {
      at: '2030-03-28T12:00:00Z',
      zone: 'Europe/Berlin',
      interval: 'week',
      plan: { a: ['Small', 16_700] },
    },
    [
      to('2030-03-31T07:00:00Z', { a: ['Large', 33_400] }),
      [
        '-10000 Unused time on Small after 31 Mar 2030',
        '20000 Remaining time on Large after 31 Mar 2030',
      ],
    ],
  ],
  [
    'a March in Berlin: 743 hours, after 28 of them',
    { at: '2030-02-28T23:00:00Z', zone: 'Europe/Berlin', plan: { a: ['Small', 74_300] } },
    [
      to('2030-03-02T03:00:00Z', { a: ['Large', 148_600] }),
      [
        '-71500 Unused time on Small after 2 Mar 2030',
        '143000 Remaining time on Large after 2 Mar 2030',
      ],
    ],
  ],
  [
    'a November in New York: 721 hours, after 21 of them, where it is still the first',
    { at: '2030-11-01T04:00:00Z', zone: 'America/New_York', plan: { a: ['Small', 72_100] } },
    [
      to('2030-11-02T01:00:00Z', { a: ['Large', 144_200] }),
      [
        '-70000 Unused time on Small after 1 Nov 2030',
        '140000 Remaining time on Large after 1 Nov 2030',
      ],
    ],
  ],
  [
    'a day in New York that begins at 22:00, an hour later',
    {
      at: '2030-04-02T02:00:00Z',
      zone: 'America/New_York',
      interval: 'day',
      plan: { a: ['Small', 2_400] },
    },
    [
      to('2030-04-02T03:00:00Z', { a: ['Large', 4_800] }),
      [
        '-2300 Unused time on Small after 1 Apr 2030',
        '4600 Remaining time on Large after 1 Apr 2030',
      ],
    ],
    ['renew', ['4800 1 × Large (at 48.00 EUR / day)']],
  ],
  [
    'a month in Kolkata, half an hour beside the others',
    { at: '2030-03-31T18:30:00Z', zone: 'Asia/Kolkata' },
    [
      to('2030-04-15T18:30:00Z', { a: ['Pro', 6_000] }),
      [
        '-1500 Unused time on Basic after 16 Apr 2030',
        '3000 Remaining time on Pro after 16 Apr 2030',
      ],
    ],
  ],
];

describe('prorations of changes', () => {
  playExamples({
    'several in a period': SEVERAL_CHANGES,
    'in periods of each length': PERIODS,
    'on days of each length': ZONES,
  });
});
