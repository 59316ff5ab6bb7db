import type { Plan } from './play-subscription.ts';
import { type Example, playExamples, to } from './proration-example.ts';

// April 2030 has 30 days, so Basic costs 100 a day.
const PRO: Plan = { a: ['Pro', 6_000] };
const seats = (quantity: number): Plan => ({ a: ['Basic', 3_000, quantity] });
const none = { behavior: 'none' } as const;

const WITHIN_A_PERIOD: readonly Example[] = [
  [
    'an upgrade half way',
    {},
    [
      to('2030-04-16', PRO),
      [
        '-1500 Unused time on Basic after 16 Apr 2030',
        '3000 Remaining time on Pro after 16 Apr 2030',
      ],
    ],
  ],
  [
    'an upgrade after a third',
    {},
    [
      to('2030-04-11', PRO),
      [
        '-2000 Unused time on Basic after 11 Apr 2030',
        '4000 Remaining time on Pro after 11 Apr 2030',
      ],
    ],
  ],
  [
    'an upgrade in the second in which it began',
    {},
    [
      to('2030-04-01', PRO),
      [
        '-3000 Unused time on Basic after 1 Apr 2030',
        '6000 Remaining time on Pro after 1 Apr 2030',
      ],
    ],
  ],
  ['an upgrade in the last second, which costs nothing', {}, [to('2030-04-30T23:59:59Z', PRO), []]],
  [
    'an upgrade in the middle of a day',
    {},
    [
      to('2030-04-16T12:00:00Z', PRO),
      [
        '-1450 Unused time on Basic after 16 Apr 2030',
        '2900 Remaining time on Pro after 16 Apr 2030',
      ],
    ],
  ],
  [
    'an upgrade that is invoiced now',
    {},
    [
      to('2030-04-16', PRO, { behavior: 'always_invoice' }),
      [
        '-1500 Unused time on Basic after 16 Apr 2030',
        '3000 Remaining time on Pro after 16 Apr 2030',
      ],
    ],
  ],
  [
    'an upgrade without prorations',
    {},
    [to('2030-04-16', PRO, none), []],
    ['renew', ['6000 1 × Pro (at 60.00 EUR / month)']],
  ],
  [
    'a downgrade half way',
    { plan: PRO },
    [
      to('2030-04-16', { a: ['Basic', 3_000] }),
      [
        '-3000 Unused time on Pro after 16 Apr 2030',
        '1500 Remaining time on Basic after 16 Apr 2030',
      ],
    ],
  ],
  [
    'another price of the same amount',
    {},
    [
      to('2030-04-16', { a: ['Other', 3_000] }),
      [
        '-1500 Unused time on Basic after 16 Apr 2030',
        '1500 Remaining time on Other after 16 Apr 2030',
      ],
    ],
  ],
  ['no change at all', {}, [to('2030-04-16', seats(1)), []]],
  [
    'a quantity that rises',
    {},
    [
      to('2030-04-16', seats(3)),
      [
        '-1500 Unused time on Basic after 16 Apr 2030',
        '4500 Remaining time on 3 × Basic after 16 Apr 2030',
      ],
    ],
  ],
  [
    'a quantity that falls',
    { plan: seats(3) },
    [
      to('2030-04-16', seats(1)),
      [
        '-4500 Unused time on 3 × Basic after 16 Apr 2030',
        '1500 Remaining time on Basic after 16 Apr 2030',
      ],
    ],
  ],
  [
    'a quantity that falls to 0',
    {},
    [to('2030-04-16', seats(0)), ['-1500 Unused time on Basic after 16 Apr 2030']],
    ['renew', ['0 0 × Basic (at 30.00 EUR / month)']],
  ],
  [
    'a quantity that rises from 0',
    { plan: seats(0) },
    [to('2030-04-16', seats(2)), ['3000 Remaining time on 2 × Basic after 16 Apr 2030']],
  ],
  [
    'the largest quantity',
    { plan: { a: ['Seat', 100, 999_999] } },
    [
      to('2030-04-16', { a: ['Seat', 100, 500_000] }),
      [
        '-49999950 Unused time on 999999 × Seat after 16 Apr 2030',
        '25000000 Remaining time on 500000 × Seat after 16 Apr 2030',
      ],
    ],
  ],
  [
    'an item that is added',
    {},
    [
      to('2030-04-16', { a: ['Basic', 3_000], b: ['Extra', 1_500] }),
      ['750 Remaining time on Extra after 16 Apr 2030'],
    ],
  ],
  [
    'an item that is removed',
    { plan: { a: ['Basic', 3_000], b: ['Extra', 1_500] } },
    [to('2030-04-16', seats(1)), ['-750 Unused time on Extra after 16 Apr 2030']],
  ],
  [
    'an item in place of another',
    {},
    [
      to('2030-04-16', { b: ['Pro', 6_000] }),
      [
        '-1500 Unused time on Basic after 16 Apr 2030',
        '3000 Remaining time on Pro after 16 Apr 2030',
      ],
    ],
  ],
  [
    'two items that change at once',
    { plan: { a: ['Basic', 3_000], b: ['Extra', 1_500] } },
    [
      to('2030-04-16', { a: ['Pro', 6_000], b: ['Extra', 1_500, 2] }),
      [
        '-1500 Unused time on Basic after 16 Apr 2030',
        '3000 Remaining time on Pro after 16 Apr 2030',
        '-750 Unused time on Extra after 16 Apr 2030',
        '1500 Remaining time on 2 × Extra after 16 Apr 2030',
      ],
    ],
  ],
  [
    'a free plan that becomes a paid one on the first day',
    { plan: { a: ['Free', 0] } },
    [to('2030-04-01', PRO), ['6000 Remaining time on Pro after 1 Apr 2030']],
  ],
  [
    'a free plan that becomes a paid one half way',
    { plan: { a: ['Free', 0] } },
    [to('2030-04-16', PRO), ['3000 Remaining time on Pro after 16 Apr 2030']],
  ],
  [
    'a paid plan that becomes a free one',
    {},
    [to('2030-04-16', { a: ['Free', 0] }), ['-1500 Unused time on Basic after 16 Apr 2030']],
    ['renew', ['0 1 × Free (at 0.00 EUR / month)']],
  ],
];

const ROUNDED: readonly Example[] = [
  [
    'two thirds of 10.00 and of 20.00',
    { plan: { a: ['Ten', 1_000] } },
    [
      to('2030-04-11', { a: ['Twenty', 2_000] }),
      [
        '-667 Unused time on Ten after 11 Apr 2030',
        '1333 Remaining time on Twenty after 11 Apr 2030',
      ],
    ],
  ],
  [
    'all but one day of 9.99 and of 19.99',
    { plan: { a: ['Small', 999] } },
    [
      to('2030-04-02', { a: ['Large', 1_999] }),
      [
        '-966 Unused time on Small after 2 Apr 2030',
        '1932 Remaining time on Large after 2 Apr 2030',
      ],
    ],
  ],
  [
    'half of 0.01 and of 0.03: the first half is rounded up',
    { plan: { a: ['One', 1] } },
    [to('2030-04-16', { a: ['Three', 3] }), ['1 Remaining time on Three after 16 Apr 2030']],
  ],
  [
    'half of 0.05 and of 0.07',
    { plan: { a: ['Five', 5] } },
    [
      to('2030-04-16', { a: ['Seven', 7] }),
      ['-2 Unused time on Five after 16 Apr 2030', '3 Remaining time on Seven after 16 Apr 2030'],
    ],
  ],
  [
    'one unit a second',
    { plan: { a: ['Second', 2_592_000] } },
    [
      to('2030-04-01T00:00:01Z', { a: ['Double', 5_184_000] }),
      [
        '-2591999 Unused time on Second after 1 Apr 2030',
        '5183998 Remaining time on Double after 1 Apr 2030',
      ],
    ],
  ],
  [
    'parts of a second, which do not count',
    { plan: { a: ['Second', 2_592_000] } },
    [
      to('2030-04-01T00:00:01.999Z', { a: ['Double', 5_184_000] }),
      [
        '-2591999 Unused time on Second after 1 Apr 2030',
        '5183998 Remaining time on Double after 1 Apr 2030',
      ],
    ],
  ],
  [
    'half of the largest amount and of the smallest',
    { plan: { a: ['Most', 99_999_999] } },
    [to('2030-04-16', { a: ['One', 1] }), ['-49999999 Unused time on Most after 16 Apr 2030']],
  ],
  [
    'yen, which have no minor unit',
    { currency: 'jpy' },
    [
      to('2030-04-16', PRO),
      [
        '-1500 Unused time on Basic after 16 Apr 2030',
        '3000 Remaining time on Pro after 16 Apr 2030',
      ],
    ],
    ['renew', ['6000 1 × Pro (at 6,000 JPY / month)']],
  ],
  [
    'yen that do not divide',
    { currency: 'jpy', plan: { a: ['Hundred', 100] } },
    [
      to('2030-04-02', { a: ['More', 200] }),
      [
        '-97 Unused time on Hundred after 2 Apr 2030',
        '193 Remaining time on More after 2 Apr 2030',
      ],
    ],
  ],
  [
    'won after a third',
    { currency: 'krw', plan: { a: ['Less', 9_900] } },
    [
      to('2030-04-11', { a: ['More', 19_900] }),
      [
        '-6600 Unused time on Less after 11 Apr 2030',
        '13267 Remaining time on More after 11 Apr 2030',
      ],
    ],
  ],
  [
    'dinars, which have three decimals',
    { currency: 'kwd', plan: { a: ['Less', 10_500] } },
    [
      to('2030-04-16', { a: ['More', 20_250] }),
      [
        '-5250 Unused time on Less after 16 Apr 2030',
        '10125 Remaining time on More after 16 Apr 2030',
      ],
    ],
    ['renew', ['20250 1 × More (at 20.250 KWD / month)']],
  ],
  [
    'odd dinars',
    { currency: 'kwd', plan: { a: ['Less', 1_001] } },
    [
      to('2030-04-16', { a: ['More', 2_003] }),
      [
        '-500 Unused time on Less after 16 Apr 2030',
        '1001 Remaining time on More after 16 Apr 2030',
      ],
    ],
  ],
];

describe('prorations of a change', () => {
  playExamples({ 'within a period': WITHIN_A_PERIOD, 'that is rounded': ROUNDED });
});
