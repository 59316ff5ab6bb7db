import type { Rule, Scan } from './rule.ts';

/** A week, as `SETTLEMENT_DAYS` of the core. */
const WEEK = "interval '7 days'";

/**
 * Settlement lines (`l`), their postings (`t`, with what they debited the bank), their operations (`o`), and
 * what people settled of them with these amounts (`n`, `d`).
 */
export const settlementLineScan: Scan = {
  from: (s) => `${s}.settlement_lines l
    FULL JOIN (SELECT t.source_id, t.account_id, t.livemode, min(e.currency) AS currency,
        sum(e.amount) FILTER (WHERE a.code = 'bank') AS bank
      FROM ${s}.ledger_transaction t JOIN ${s}.ledger_entry e ON e.transaction_id = t.id
      JOIN ${s}.ledger_account a ON a.id = e.ledger_account_id
      WHERE t.kind = 'settlement' GROUP BY t.source_id, t.account_id, t.livemode) t
      ON t.source_id = l.id
    LEFT JOIN ${s}.operations o
      ON (o.account_id, o.livemode, o.id) = (l.account_id, l.livemode, l.found_id)
    LEFT JOIN ${s}.settlement_differences n
      ON n.subject_id = l.id AND n.kind IN ('no_operation', 'currency_differs') AND n.state = 'settled'
      AND n.found_amount = l.amount
    LEFT JOIN ${s}.settlement_differences d
      ON d.subject_id = l.id AND d.kind = 'amount_differs' AND d.state = 'settled'
      AND d.found_amount = l.amount AND d.expected_amount IS NOT DISTINCT FROM l.expected_amount`,
  rules: lineRules(),
};

function lineRules(): readonly Rule[] {
  return [
    {
      rule: 'A settlement line belongs to an operation, or a person has settled it.',
      broken: 'l.id IS NOT NULL AND l.account_id IS NULL AND n.id IS NULL',
      subject: 'l.id',
      expected: `'an operation'`,
      found: `'none'`,
    },
    {
      rule: 'A settlement line is about the operation that it names, of its charge.',
      broken: `l.account_id IS NOT NULL AND (o.id IS NULL OR o.charge_id IS DISTINCT FROM l.charge_id
        OR (o.id = l.operation_id OR o.processor_reference = l.processor_reference) IS NOT TRUE)`,
      subject: 'l.id',
      expected: 'COALESCE(l.operation_id, l.processor_reference)',
      found: `CASE WHEN o.id IS NULL THEN 'none' ELSE o.id || ' of ' || l.charge_id END`,
    },
    {
      rule: 'A settlement line has an amount that its charge or refund moved or another line takes back, or a person has settled it.',
      broken:
        'l.account_id IS NOT NULL AND l.amount IS DISTINCT FROM l.expected_amount AND d.id IS NULL',
      subject: 'l.id',
      expected: `COALESCE(l.expected_amount::text, 'nothing')`,
      found: 'l.amount',
    },
    {
      rule: 'A settlement line of an operation brought the bank its amount less its fee, once.',
      broken: `CASE WHEN l.account_id IS NULL THEN 0 ELSE l.amount - l.fee END <> COALESCE(t.bank, 0)
        OR (l.id IS NULL AND t.source_id IS NOT NULL)`,
      subject: 'COALESCE(l.id, t.source_id)',
      expected: `CASE WHEN l.account_id IS NULL THEN 0 ELSE l.amount - l.fee END`,
      found: 'COALESCE(t.bank, 0)',
    },
    {
      rule: 'A settlement line is booked for the account, environment and currency of its operation.',
      broken: `t.source_id IS NOT NULL
        AND (l.account_id, l.livemode, l.currency) <> (t.account_id, t.livemode, t.currency)`,
      subject: 'l.id',
      expected: `l.account_id || ' ' || l.currency`,
      found: `t.account_id || ' ' || t.currency`,
    },
  ];
}

/** A line (`l`) of an operation that counts for the fees of its charge or refund: not of a chargeback. */
const TELLS_FEES = `(o.kind = 'refund' OR l.amount >= 0)`;

/**
 * What settlement lines of a charge or refund tell of its fees (`l`), what is booked of them (`f`): for
 * itself, for its operations or with its lines; and what people settled with these amounts (`d`).
 */
export const settledFeeScan: Scan = {
  from: (s) => `(SELECT l.account_id, l.livemode, l.currency, o.subject_id, sum(l.fee) AS told
      FROM ${s}.settlement_lines l JOIN ${s}.operations o
        ON (o.account_id, o.livemode, o.id) = (l.account_id, l.livemode, l.found_id)
      WHERE ${TELLS_FEES} GROUP BY l.account_id, l.livemode, l.currency, o.subject_id) l
    LEFT JOIN (SELECT t.account_id, t.livemode, a.currency, sum(e.amount) AS booked,
        COALESCE(o.subject_id, t.source_id) AS subject_id
      FROM ${s}.ledger_transaction t
      JOIN ${s}.ledger_entry e ON e.transaction_id = t.id
      JOIN ${s}.ledger_account a ON a.id = e.ledger_account_id AND a.code = 'processor_fees'
      LEFT JOIN ${s}.settlement_lines l
        ON (l.account_id, l.livemode, l.id) = (t.account_id, t.livemode, t.source_id)
      LEFT JOIN ${s}.operations o ON (o.account_id, o.livemode, o.id)
        = (t.account_id, t.livemode, COALESCE(l.found_id, t.source_id))
      WHERE t.kind = 'processor_fee' AND (l.id IS NULL OR ${TELLS_FEES})
      GROUP BY t.account_id, t.livemode, a.currency, COALESCE(o.subject_id, t.source_id)) f
      ON (f.account_id, f.livemode, f.currency, f.subject_id)
        = (l.account_id, l.livemode, l.currency, l.subject_id)
    LEFT JOIN ${s}.settlement_differences d
      ON d.subject_id = l.subject_id AND d.kind = 'fee_differs' AND d.state = 'settled'
      AND d.expected_amount = f.booked AND d.found_amount = l.told`,
  rules: [
    {
      rule: 'The fees that settlement lines of a charge or refund tell are booked, or a person has settled it.',
      broken: 'l.told <> COALESCE(f.booked, 0) AND d.id IS NULL',
      subject: 'l.subject_id',
      expected: 'COALESCE(f.booked, 0)',
      found: 'l.told',
    },
  ],
};

/**
 * Charges (`c`) on no test clock, of processors that send lines (`p`, since when), what they moved
 * (`m`), what their lines settled (`l`), and what people settled of them with these amounts (`d`).
 */
export const settledChargeScan: Scan = {
  from: (s, now) => `(SELECT livemode, processor, min(settled_on) AS since
      FROM ${s}.settlement_lines GROUP BY livemode, processor) p
    JOIN ${s}.charges c ON c.livemode = p.livemode AND c.processor_name = p.processor
      AND c.created >= p.since AND c.created < ${now} - ${WEEK} AND c.test_clock_id IS NULL
    JOIN (SELECT o.account_id, o.livemode, o.charge_id, sum(b.amount) AS moved,
        max(b.created) AS changed
      FROM (SELECT account_id, livemode, id AS charge_id, id FROM ${s}.charges
        UNION ALL SELECT account_id, livemode, charge_id, id FROM ${s}.refunds
        UNION ALL SELECT account_id, livemode, charge_id, id FROM ${s}.disputes) o
      JOIN ${s}.balance_transactions b
        ON (b.account_id, b.livemode, b.source_id) = (o.account_id, o.livemode, o.id)
      GROUP BY o.account_id, o.livemode, o.charge_id) m
      ON (m.account_id, m.livemode, m.charge_id) = (c.account_id, c.livemode, c.id)
      AND m.changed < ${now} - ${WEEK}
    LEFT JOIN (SELECT account_id, livemode, charge_id, currency, sum(amount) AS settled
      FROM ${s}.settlement_lines GROUP BY account_id, livemode, charge_id, currency) l
      ON (l.account_id, l.livemode, l.charge_id, l.currency)
        = (c.account_id, c.livemode, c.id, c.currency)
    LEFT JOIN ${s}.settlement_differences d
      ON d.subject_id = c.id AND d.kind = 'not_settled' AND d.state = 'settled'
      AND d.expected_amount = m.moved AND d.found_amount = COALESCE(l.settled, 0)`,
  rules: [
    {
      rule: 'What a charge moved is settled a week after it last changed, or a person has settled it.',
      broken: 'm.moved <> COALESCE(l.settled, 0) AND d.id IS NULL',
      subject: 'c.id',
      expected: 'm.moved',
      found: 'COALESCE(l.settled, 0)',
    },
  ],
};
