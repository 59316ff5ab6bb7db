import { DISPUTE_KINDS, DISPUTE_WON_KINDS } from '@paymount/core/ledger';
import { type Rule, textList } from './rule.ts';

/** Ledger accounts that recipes post to; each has a column of sums. */
export const BOOKED = [
  'processor_clearing',
  'bank',
  'pending',
  'available',
  'reserved',
  'payouts_in_transit',
  'fees_revenue',
  'processor_fees',
  'losses',
] as const;
type Booked = (typeof BOOKED)[number];

const KINDS = [
  'capture',
  'processor_fee',
  'refund',
  'refund_failure',
  ...DISPUTE_KINDS,
  ...DISPUTE_WON_KINDS,
  'payout',
  'payout_paid',
  'payout_failed',
  'payout_returned',
  'reserve',
  'release',
  'write_off',
  'settlement',
];

/**
 * The ledger accounts that each recipe of `core/src/ledger/recipes.ts` posts to; it posts to no
 * others.
 */
export function shapeRules(): readonly Rule[] {
  return [
    {
      rule: 'A ledger transaction is of a kind that Paymount books.',
      broken: `p.kind NOT IN (${textList(KINDS)})`,
      subject: 'p.id',
      expected: `'a known kind'`,
      found: 'p.kind',
    },
    shape('capture', 'p', {
      rule: 'A capture debits processor_clearing, and credits pending and fees_revenue.',
      codes: ['processor_clearing', 'pending', 'fees_revenue'],
      holds: 'p.processor_clearing > 0 AND p.pending <= 0 AND p.fees_revenue <= 0',
    }),
    shape('processor_fee', 'p', {
      rule: "A processor's fee debits processor_fees, and credits processor_clearing.",
      codes: ['processor_fees', 'processor_clearing'],
      // A settlement line may give a fee back.
      holds: `(p.processor_fees > 0 OR (p.processor_fees < 0 AND p.source_id LIKE 'sl\\_%'))`,
    }),
    shape('refund', 'p', {
      rule: 'A refund debits either pending or available, and credits processor_clearing.',
      codes: ['processor_clearing', 'pending', 'available'],
      holds: 'p.processor_clearing < 0 AND p.pending * p.available = 0',
    }),
    shape('refund_failure', 'p', {
      rule: 'A failed refund credits either pending or available, and debits processor_clearing.',
      codes: ['processor_clearing', 'pending', 'available'],
      holds: 'p.processor_clearing > 0 AND p.pending * p.available = 0',
    }),
    shape(DISPUTE_KINDS, 'p', {
      rule: 'A chargeback debits available, and credits processor_clearing and fees_revenue.',
      codes: ['available', 'processor_clearing', 'fees_revenue'],
      holds: 'p.processor_clearing < 0 AND p.available > 0 AND p.fees_revenue <= 0',
    }),
    shape(DISPUTE_WON_KINDS, 'p', {
      rule: 'A dispute that was won credits available, and debits processor_clearing.',
      codes: ['processor_clearing', 'available'],
      holds: 'p.processor_clearing > 0',
    }),
    shape('payout', 'p', {
      rule: 'A payout debits available, and credits payouts_in_transit.',
      codes: ['available', 'payouts_in_transit'],
      holds: 'p.available > 0',
    }),
    shape('payout_paid', 'p', {
      rule: 'A payout that is paid debits payouts_in_transit, and credits bank.',
      codes: ['payouts_in_transit', 'bank'],
      holds: 'p.payouts_in_transit > 0',
    }),
    shape('payout_failed', 'p', {
      rule: 'A payout that failed or was canceled debits payouts_in_transit, and credits available.',
      codes: ['payouts_in_transit', 'available'],
      holds: 'p.payouts_in_transit > 0',
    }),
    shape('payout_returned', 'p', {
      rule: 'A payout that was returned debits bank, and credits available.',
      codes: ['bank', 'available'],
      holds: 'p.bank > 0',
    }),
    ...operatorShapes(),
    shape('availability', 'v', {
      rule: 'Funds become available from pending to available, and on no other ledger account.',
      codes: ['pending', 'available'],
      holds: 'v.pending * v.available < 0',
    }),
  ];
}

/** Those that no request of a merchant posts. */
function operatorShapes(): readonly Rule[] {
  return [
    shape('reserve', 'p', {
      rule: 'A reserve debits available, and credits reserved.',
      codes: ['available', 'reserved'],
      holds: 'p.available > 0',
    }),
    shape('release', 'p', {
      rule: 'A release debits reserved, and credits available.',
      codes: ['reserved', 'available'],
      holds: 'p.reserved > 0',
    }),
    shape('write_off', 'p', {
      rule: 'A write-off debits losses, and credits available.',
      codes: ['losses', 'available'],
      holds: 'p.losses > 0',
    }),
    shape('settlement', 'p', {
      rule: 'A settlement moves money between processor_clearing and bank, and nowhere else.',
      codes: ['bank', 'processor_clearing'],
      holds: 'p.bank <> 0',
    }),
  ];
}

/** @param kinds one, or several of the same shape */
function shape(
  kinds: string | readonly string[],
  t: string,
  {
    rule,
    codes,
    holds,
  }: { readonly rule: string; readonly codes: readonly Booked[]; readonly holds: string },
): Rule {
  const untouched = BOOKED.filter((code) => !codes.includes(code));
  const elsewhere = untouched.map((code) => `${t}.${code} = 0`).join(' AND ');
  const booked = BOOKED.map((code) => `(${t}.${code} <> 0)::integer`).join(' + ');
  const named = BOOKED.map((code) => `'${code} ' || NULLIF(${t}.${code}, 0)`).join(', ');
  return {
    rule,
    broken: `${t}.kind IN (${textList([kinds].flat())}) AND NOT (${holds} AND ${elsewhere} AND ${t}.others = 0
      AND ${t}.entries = ${booked})`,
    subject: `${t}.id`,
    expected: `'the entries of a ' || ${t}.kind`,
    found: `concat_ws(', ', ${named}, NULLIF(${t}.others, 0) || ' elsewhere', 'in ' || ${t}.entries)`,
  };
}
