import type { Change, Plan } from './play-subscription.ts';
import { type Example, playExamples, to } from './proration-example.ts';

// April 2030 has 30 days, so Basic costs 100 a day. May has 31.
const BASIC: Plan = { a: ['Basic', 3_000] };
const PRO: Plan = { a: ['Pro', 6_000] };
const YEARLY: Plan = { a: ['Yearly', 36_500] };
const year = { interval: 'year' } as const;
const none = { behavior: 'none' } as const;
const day = (at: string, change: Partial<Change>): Change => ({ at: `${at}T00:00:00Z`, ...change });

const NEW_PERIODS: readonly Example[] = [
  [
    'a month that becomes a year',
    {},
    [
      to('2030-04-16', YEARLY, year),
      ['-1500 Unused time on Basic after 16 Apr 2030', '36500 1 × Yearly (at 365.00 EUR / year)'],
    ],
  ],
  [
    'a month that becomes a year in the second in which it began',
    {},
    [
      to('2030-04-01', YEARLY, year),
      ['-3000 Unused time on Basic after 1 Apr 2030', '36500 1 × Yearly (at 365.00 EUR / year)'],
    ],
  ],
  [
    'a month that becomes a year without prorations',
    {},
    [to('2030-04-16', YEARLY, { ...year, ...none }), ['36500 1 × Yearly (at 365.00 EUR / year)']],
  ],
  [
    'a month that becomes a year, and is changed a hundred days later',
    {},
    [
      to('2030-04-16', YEARLY, year),
      ['-1500 Unused time on Basic after 16 Apr 2030', '36500 1 × Yearly (at 365.00 EUR / year)'],
    ],
    [
      to('2030-07-25', { a: ['Yearly', 36_500, 2] }),
      [
        '-26500 Unused time on Yearly after 25 Jul 2030',
        '53000 Remaining time on 2 × Yearly after 25 Jul 2030',
      ],
    ],
  ],
  [
    'a year that becomes a month, and a year again in the same second',
    { at: '2030-01-01T00:00:00Z', plan: YEARLY, interval: 'year' },
    [
      to('2030-04-11', BASIC, { interval: 'month' }),
      ['-26500 Unused time on Yearly after 11 Apr 2030', '3000 1 × Basic (at 30.00 EUR / month)'],
    ],
    [
      to('2030-04-11', YEARLY, year),
      ['-3000 Unused time on Basic after 11 Apr 2030', '36500 1 × Yearly (at 365.00 EUR / year)'],
    ],
  ],
  [
    'a month that becomes three',
    {},
    [
      to('2030-04-16', { a: ['Quarter', 9_000] }, { count: 3 }),
      [
        '-1500 Unused time on Basic after 16 Apr 2030',
        '9000 1 × Quarter (at 90.00 EUR / 3 months)',
      ],
    ],
  ],
  [
    'a day that becomes a week',
    { interval: 'day', plan: { a: ['Day', 86_400] } },
    [
      to('2030-04-01T06:00:00Z', { a: ['Week', 700] }, { interval: 'week' }),
      ['-64800 Unused time on Day after 1 Apr 2030', '700 1 × Week (at 7.00 EUR / week)'],
    ],
  ],
  [
    'two items that become yearly',
    { plan: { a: ['Basic', 3_000], b: ['Extra', 1_500] } },
    [
      to('2030-04-16', { a: ['Yearly', 36_500], b: ['Extra a year', 18_250] }, year),
      [
        '-1500 Unused time on Basic after 16 Apr 2030',
        '-750 Unused time on Extra after 16 Apr 2030',
        '36500 1 × Yearly (at 365.00 EUR / year)',
        '18250 1 × Extra a year (at 182.50 EUR / year)',
      ],
    ],
  ],
  [
    'the anchor of the same plan',
    {},
    [
      day('2030-04-16', { isAnchoredNow: true }),
      ['-1500 Unused time on Basic after 16 Apr 2030', '3000 1 × Basic (at 30.00 EUR / month)'],
    ],
    ['renew', ['3000 1 × Basic (at 30.00 EUR / month)']],
  ],
  [
    'the anchor without prorations',
    {},
    [
      day('2030-04-16', { isAnchoredNow: true, ...none }),
      ['3000 1 × Basic (at 30.00 EUR / month)'],
    ],
  ],
  [
    'the anchor with an upgrade',
    {},
    [
      day('2030-04-16', { isAnchoredNow: true, plan: PRO }),
      ['-1500 Unused time on Basic after 16 Apr 2030', '6000 1 × Pro (at 60.00 EUR / month)'],
    ],
  ],
  [
    'the interval after a change without prorations: the credit is for what was billed',
    {},
    [to('2030-04-11', PRO, none), []],
    [
      to('2030-04-16', YEARLY, year),
      ['-1500 Unused time on Basic after 16 Apr 2030', '36500 1 × Yearly (at 365.00 EUR / year)'],
    ],
  ],
];

const AT_THE_END: readonly Example[] = [
  [
    'an upgrade',
    {},
    [to('2030-04-16', PRO, { isAtPeriodEnd: true }), []],
    ['renew', ['6000 1 × Pro (at 60.00 EUR / month)']],
  ],
  [
    'a downgrade',
    { plan: PRO },
    [to('2030-04-16', BASIC, { isAtPeriodEnd: true }), []],
    ['renew', ['3000 1 × Basic (at 30.00 EUR / month)']],
  ],
  [
    'a month that becomes a year',
    {},
    [to('2030-04-16', YEARLY, { ...year, isAtPeriodEnd: true }), []],
    ['renew', ['36500 1 × Yearly (at 365.00 EUR / year)']],
  ],
  [
    'one that is replaced by another',
    {},
    [to('2030-04-16', YEARLY, { ...year, isAtPeriodEnd: true }), []],
    [to('2030-04-20', PRO, { isAtPeriodEnd: true }), []],
    ['renew', ['6000 1 × Pro (at 60.00 EUR / month)']],
  ],
  [
    'one that is dropped',
    {},
    [to('2030-04-16', PRO, { isAtPeriodEnd: true }), []],
    [day('2030-04-20', { dropsPending: true }), []],
    ['renew', ['3000 1 × Basic (at 30.00 EUR / month)']],
  ],
  [
    'one that is dropped for a change now',
    {},
    [to('2030-04-11', BASIC, { isAtPeriodEnd: true }), []],
    [
      to('2030-04-16', PRO, { dropsPending: true }),
      [
        '-1500 Unused time on Basic after 16 Apr 2030',
        '3000 Remaining time on Pro after 16 Apr 2030',
      ],
    ],
    ['renew', ['6000 1 × Pro (at 60.00 EUR / month)']],
  ],
  [
    'one that is applied when the period ends early',
    {},
    [to('2030-04-11', PRO, { isAtPeriodEnd: true }), []],
    [
      day('2030-04-16', { isAnchoredNow: true }),
      ['-1500 Unused time on Basic after 16 Apr 2030', '6000 1 × Pro (at 60.00 EUR / month)'],
    ],
  ],
];

const TRIALS: readonly Example[] = [
  [
    'an upgrade in a trial, which costs nothing until it ends',
    { trialEnd: '2030-04-15T00:00:00Z' },
    [to('2030-04-10', PRO), []],
    ['renew', ['6000 1 × Pro (at 60.00 EUR / month)']],
  ],
  [
    'an item that is added and removed in a trial',
    { trialEnd: '2030-04-15T00:00:00Z' },
    [to('2030-04-05', { ...BASIC, b: ['Extra', 1_500] }, { behavior: 'always_invoice' }), []],
    [to('2030-04-10', BASIC), []],
    ['renew', ['3000 1 × Basic (at 30.00 EUR / month)']],
  ],
  [
    'another interval in a trial',
    { trialEnd: '2030-04-15T00:00:00Z' },
    [to('2030-04-10', YEARLY, year), []],
    ['renew', ['36500 1 × Yearly (at 365.00 EUR / year)']],
  ],
  [
    'an upgrade in the first period after a trial',
    { at: '2030-03-15T00:00:00Z', trialEnd: '2030-04-01T00:00:00Z' },
    ['renew', ['3000 1 × Basic (at 30.00 EUR / month)']],
    [
      to('2030-04-16', PRO),
      [
        '-1500 Unused time on Basic after 16 Apr 2030',
        '3000 Remaining time on Pro after 16 Apr 2030',
      ],
    ],
  ],
  [
    'a trial that ends now',
    { trialEnd: '2030-04-30T00:00:00Z' },
    [day('2030-04-10', { trialEnd: 'now' }), ['3000 1 × Basic (at 30.00 EUR / month)']],
  ],
  [
    'a trial that ends now with an upgrade',
    { trialEnd: '2030-04-30T00:00:00Z' },
    [to('2030-04-10', PRO, { trialEnd: 'now' }), ['6000 1 × Pro (at 60.00 EUR / month)']],
  ],
  [
    'a trial that is extended',
    { trialEnd: '2030-04-15T00:00:00Z' },
    [day('2030-04-10', { trialEnd: '2030-04-25T00:00:00Z' }), []],
    ['renew', ['3000 1 × Basic (at 30.00 EUR / month)']],
  ],
  [
    'a trial of a running subscription, which gives back the rest of the period',
    {},
    [
      day('2030-04-16', { trialEnd: '2030-05-10T00:00:00Z' }),
      ['-1500 Unused time on Basic after 16 Apr 2030'],
    ],
    [to('2030-05-01', PRO), []],
    ['renew', ['6000 1 × Pro (at 60.00 EUR / month)']],
  ],
  [
    'a trial of a running subscription without prorations',
    {},
    [day('2030-04-16', { trialEnd: '2030-05-10T00:00:00Z', ...none }), []],
  ],
];

const STUBS: readonly Example[] = [
  [
    'an upgrade before the anchor',
    { at: '2030-04-16T00:00:00Z', anchor: '2030-05-01T00:00:00Z' },
    [
      to('2030-04-21', PRO),
      [
        '-1000 Unused time on Basic after 21 Apr 2030',
        '2000 Remaining time on Pro after 21 Apr 2030',
      ],
    ],
    ['renew', ['6000 1 × Pro (at 60.00 EUR / month)']],
  ],
  [
    'an upgrade in free time before the anchor, which stays free',
    { at: '2030-04-16T00:00:00Z', anchor: '2030-05-01T00:00:00Z', ...none },
    [to('2030-04-21', PRO), []],
    [to('2030-04-26', BASIC), []],
    [to('2030-04-27', PRO), []],
    ['renew', ['6000 1 × Pro (at 60.00 EUR / month)']],
  ],
  [
    'an item that is removed in free time',
    {
      at: '2030-04-16T00:00:00Z',
      anchor: '2030-05-01T00:00:00Z',
      plan: { a: ['Basic', 3_000], b: ['Extra', 1_500] },
      ...none,
    },
    [to('2030-04-21', BASIC), []],
    ['renew', ['3000 1 × Basic (at 30.00 EUR / month)']],
  ],
  [
    'a part of an interval between a trial and the anchor',
    { trialEnd: '2030-04-21T00:00:00Z', anchor: '2030-05-01T00:00:00Z' },
    ['renew', ['1000 Time on Basic from 21 Apr 2030 until 1 May 2030']],
    ['renew', ['3000 1 × Basic (at 30.00 EUR / month)']],
  ],
  [
    'a free part between a trial and the anchor',
    { trialEnd: '2030-04-21T00:00:00Z', anchor: '2030-05-01T00:00:00Z', ...none },
    ['renew', []],
    ['renew', ['3000 1 × Basic (at 30.00 EUR / month)']],
  ],
];

describe('changes of periods', () => {
  playExamples({
    'that begin with the change': NEW_PERIODS,
    'at whose end something changes': AT_THE_END,
    'in and around a trial': TRIALS,
    'that are a part of an interval': STUBS,
  });
});
