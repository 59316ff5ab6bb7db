import { DISPUTE_KINDS, DISPUTE_WON_KINDS } from '@paymount/core/ledger';
import { BOOKED, shapeRules } from './posting-shapes.ts';
import { ownerText, type Rule, readAll, type Scan, textList } from './rule.ts';

/**
 * The kind of posting that a type of balance transaction belongs to; both kinds that give a payout
 * back count as one.
 */
const KIND_OF_LINE = `CASE b.type WHEN 'charge' THEN 'capture' WHEN 'payment' THEN 'capture'
  WHEN 'payout_failure' THEN 'payout_failed'
  WHEN 'payout_cancel' THEN 'payout_failed' ELSE b.type END`;
const KIND_OF_POSTING = `CASE p.kind WHEN 'payout_returned' THEN 'payout_failed' ELSE p.kind END`;

/** What the merchant sees of a posting: what leaves or reaches the balance, before fees. */
const SHOWN = `CASE WHEN p.kind LIKE 'payout%' OR p.kind IN ('reserve', 'release', 'write_off')
  THEN -p.available ELSE p.processor_clearing END`;

/** Most fees have one part or none, and a subquery for each row is slow. */
const FEE_PARTS = `CASE jsonb_array_length(b.fee_details) WHEN 0 THEN 0
  WHEN 1 THEN (b.fee_details -> 0 ->> 'amount')::numeric
  ELSE (SELECT sum((d ->> 'amount')::numeric) FROM jsonb_array_elements(b.fee_details) d) END`;

/**
 * Ledger transactions (`p`) with the sums of their entries, their balance transactions (`b`), the
 * postings (`v`) that moved those to `available`, and the payouts (`w`) that they handed to a bank.
 */
export const postingScan: Scan = {
  parts: (s) => ({
    chart: `SELECT *, array_position(ARRAY['${BOOKED.join("', '")}'], code) AS place,
        min(id) OVER (PARTITION BY account_id, livemode, currency) AS ledger
      FROM ${s}.ledger_account`,
    postings: `SELECT COALESCE(t.id, e.transaction_id) AS id, t.id IS NULL AS lost, t.kind,
        t.source_id, t.account_id, t.livemode, t.available_on, t.created, e.*, l.currency,
        (l.account_id, l.livemode) <> (t.account_id, t.livemode) AS foreign_ledger
      FROM ${readAll(s, 'ledger_transaction')} t FULL JOIN (${sums(s)}) e ON e.transaction_id = t.id
      LEFT JOIN chart l ON l.id = e.ledger`,
  }),
  from: (s) => `(SELECT * FROM postings WHERE kind IS DISTINCT FROM 'availability') p
    FULL JOIN ${readAll(s, 'balance_transactions')} b ON b.source_id = p.source_id
      AND ${KIND_OF_LINE} = ${KIND_OF_POSTING}
    FULL JOIN (SELECT * FROM postings WHERE kind = 'availability') v ON v.source_id = b.id
    LEFT JOIN ${s}.payouts w ON p.kind = 'payout_paid'
      AND (w.account_id, w.livemode, w.id) = (p.account_id, p.livemode, p.source_id)`,
  rules: [
    ...['p', 'v'].flatMap(entryRules),
    ...shapeRules(),
    ...lineRules(),
    ...availabilityRules(),
  ],
};

/** The entries of each transaction in one row; `ledger` stands for account, environment, currency. */
function sums(s: string): string {
  const booked = BOOKED.map(
    (code, index) => `COALESCE(sum(e.amount) FILTER (WHERE a.place = ${index + 1}), 0) AS ${code}`,
  );
  return `SELECT e.transaction_id, count(*) AS entries, sum(e.amount) AS rest, ${booked.join(', ')},
      count(*) FILTER (WHERE a.place IS NULL) AS others,
      min(a.ledger) AS ledger, min(a.ledger) <> max(a.ledger) AS mixed,
      bool_or(a.id IS NULL OR e.currency <> a.currency OR e.livemode <> a.livemode
        OR e.account_id <> a.account_id) AS stray
    FROM ${readAll(s, 'ledger_entry', 'transaction_id')} e LEFT JOIN chart a ON a.id = e.ledger_account_id
    GROUP BY hashtext(e.transaction_id), e.transaction_id`;
}

/** @param t `p` or `v`: together they are all ledger transactions */
function entryRules(t: string): readonly Rule[] {
  return [
    {
      rule: 'The entries of a ledger transaction sum to zero.',
      broken: `${t}.rest <> 0`,
      subject: `concat_ws(' ', ${t}.id, ${t}.currency)`,
      expected: '0',
      found: `${t}.rest`,
    },
    {
      rule: 'A ledger transaction has entries.',
      broken: `${t}.id IS NOT NULL AND ${t}.entries IS NULL`,
      subject: `${t}.id`,
      expected: `'entries'`,
      found: `'none'`,
    },
    {
      rule: 'Entries belong to a ledger transaction.',
      broken: `${t}.lost`,
      subject: `${t}.id`,
      expected: `'a ledger transaction'`,
      found: `'none'`,
    },
    {
      rule: 'A ledger transaction stays within one account, environment and currency.',
      broken: `${t}.mixed OR ${t}.foreign_ledger`,
      subject: `${t}.id`,
      expected: ownerText(t),
      found: `CASE WHEN ${t}.mixed THEN 'several ledgers' ELSE 'the ledger of another' END`,
    },
    {
      rule: 'An entry has the account, environment and currency of its ledger account.',
      broken: `${t}.stray`,
      subject: `${t}.id`,
      expected: `'those of its ledger account'`,
      found: `'others'`,
    },
  ];
}

/** The balance transaction of a posting, which the merchant sees. */
function lineRules(): readonly Rule[] {
  return [
    {
      rule: 'A posting that moves money shows in the balance history.',
      broken: `b.id IS NULL AND p.kind IN ('capture', 'refund', 'refund_failure',
        ${textList([...DISPUTE_KINDS, ...DISPUTE_WON_KINDS])}, 'payout', 'payout_failed', 'payout_returned', 'reserve', 'release',
        'write_off')`,
      subject: 'p.id',
      expected: `'a balance transaction'`,
      found: `'none'`,
    },
    {
      rule: 'A balance transaction has its posting.',
      broken: 'b.id IS NOT NULL AND p.id IS NULL',
      subject: 'b.id',
      expected: `'a posting'`,
      found: `'none'`,
    },
    {
      rule: 'A balance transaction has the amount and the fee of its posting.',
      broken: `(b.amount, b.fee) <> (${SHOWN}, -p.fees_revenue)`,
      subject: 'b.id',
      expected: `${SHOWN} || ' fee ' || -p.fees_revenue`,
      found: `b.amount || ' fee ' || b.fee`,
    },
    {
      rule: 'A balance transaction is in the currency of its posting.',
      broken: 'b.currency <> p.currency',
      subject: 'b.id',
      expected: 'p.currency',
      found: 'b.currency',
    },
    {
      rule: 'A balance transaction is of the account and environment of its posting.',
      broken: '(b.account_id, b.livemode) <> (p.account_id, p.livemode)',
      subject: 'b.id',
      expected: ownerText('p'),
      found: ownerText('b'),
    },
    {
      rule: 'A balance transaction becomes available when its posting says.',
      broken: 'b.available_on <> p.available_on',
      subject: 'b.id',
      expected: 'p.available_on',
      found: 'b.available_on',
    },
    {
      rule: 'A balance transaction was made when it was posted.',
      broken: 'b.created <> p.created',
      subject: 'b.id',
      expected: 'p.created',
      found: 'b.created',
    },
    {
      rule: 'What was handed to a bank is the amount of a payout.',
      broken: `p.kind = 'payout_paid' AND w.amount IS DISTINCT FROM p.payouts_in_transit`,
      subject: 'p.id',
      expected: `COALESCE(w.amount::text, 'a payout')`,
      found: 'p.payouts_in_transit',
    },
    {
      rule: 'The parts of a fee sum to it.',
      broken: `b.fee <> ${FEE_PARTS}`,
      subject: 'b.id',
      expected: 'b.fee',
      found: FEE_PARTS,
    },
  ];
}

function availabilityRules(): readonly Rule[] {
  return [
    {
      rule: 'Funds are moved to available exactly when their balance transaction says so.',
      broken: `p.entries > 0 AND (v.id IS NOT NULL)
        <> (b.status = 'available' AND p.pending <> 0)`,
      subject: 'b.id',
      expected: `CASE WHEN b.status = 'available' AND p.pending <> 0 THEN 'moved' ELSE 'not moved' END`,
      found: `CASE WHEN v.id IS NULL THEN 'not moved' ELSE 'moved' END`,
    },
    {
      rule: 'What was booked on available is available at once.',
      broken: `b.status <> 'available' AND p.available <> 0`,
      subject: 'b.id',
      expected: `'available'`,
      found: 'b.status',
    },
    {
      rule: 'What becomes available is the net of its balance transaction.',
      broken: '(v.pending, -v.available) <> (b.amount - b.fee, b.amount - b.fee)',
      subject: 'v.id',
      expected: 'b.amount - b.fee',
      found: `v.pending || ' to ' || -v.available`,
    },
    {
      rule: 'What becomes available has its balance transaction.',
      broken: 'v.id IS NOT NULL AND b.id IS NULL',
      subject: 'v.id',
      expected: 'v.source_id',
      found: `'none'`,
    },
    {
      rule: 'Funds become available in the account, environment and currency they were booked in.',
      broken: `(v.account_id, v.livemode, v.currency) <> (b.account_id, b.livemode, b.currency)`,
      subject: 'v.id',
      expected: `${ownerText('b')} || ' ' || b.currency`,
      found: `${ownerText('v')} || ' ' || v.currency`,
    },
  ];
}
