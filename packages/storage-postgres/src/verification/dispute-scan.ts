import { DISPUTE_KINDS, DISPUTE_WON_KINDS } from '@paymount/core/ledger';
import { APPROVED } from './charge-scan.ts';
import { ownerText, type Rule, type Scan, textList } from './rule.ts';

/** The rounds whose money was given back before the next one. */
const EARLIER = `jsonb_array_elements(p.earlier_bookings) AS r`;

/**
 * Disputes (`p`) with charge (`c`), the balance transactions of all their rounds (`b`), all disputes of the
 * charge (`n`), the answer to the alert that it was (`a`), the operations that accepted it (`g`), and whether a
 * person has ruled about it (`u`).
 */
export const disputeScan: Scan = {
  from: (s) => `${s}.disputes p
    FULL JOIN (SELECT source_id, account_id, livemode, array_agg(id ORDER BY id) AS ids, sum(fee) AS fee,
        min(currency) AS currency, min(currency) <> max(currency) AS mixed,
        max(CASE WHEN type ~ '_[2-5]$' THEN right(type, 1)::integer ELSE 1 END) AS round,
        array_agg(created) AS times,
        array_agg(amount ORDER BY id) FILTER (WHERE type IN (${textList(DISPUTE_KINDS)})) AS taken,
        array_agg(amount ORDER BY id) FILTER (WHERE type IN (${textList(DISPUTE_WON_KINDS)})) AS given
      FROM ${s}.balance_transactions
      WHERE type IN (${textList([...DISPUTE_KINDS, ...DISPUTE_WON_KINDS])})
      GROUP BY source_id, account_id, livemode) b
      ON b.source_id = p.id
    LEFT JOIN ${s}.charges c
      ON (c.account_id, c.livemode, c.id) = (p.account_id, p.livemode, p.charge_id)
    LEFT JOIN (SELECT account_id, livemode, charge_id, max(id) AS id, array_agg(id) AS ids,
        sum(amount) FILTER (WHERE status IN ('needs_response', 'under_review', 'lost')) AS taken
      FROM ${s}.disputes GROUP BY account_id, livemode, charge_id) n
      ON (n.account_id, n.livemode, n.charge_id) = (p.account_id, p.livemode, p.charge_id)
    LEFT JOIN ${s}.operations a
      ON (a.account_id, a.livemode, a.id) = (p.account_id, p.livemode, p.alert_operation_id)
    LEFT JOIN (SELECT account_id, livemode, subject_id, array_agg(id) AS ids FROM ${s}.operations
      WHERE kind = 'accept_dispute' AND ${APPROVED} GROUP BY account_id, livemode, subject_id) g
      ON (g.account_id, g.livemode, g.subject_id) = (p.account_id, p.livemode, p.id)
    LEFT JOIN (SELECT account_id, livemode, target FROM ${s}.audit_log
      WHERE action = 'dispute.rule' GROUP BY account_id, livemode, target) u
      ON (u.account_id, u.livemode, u.target) = (p.account_id, p.livemode, p.id)`,
  rules: [...chargeRules(), ...bookingRules()],
};

function chargeRules(): readonly Rule[] {
  return [
    {
      rule: 'A dispute has a succeeded charge of its account and environment.',
      broken: `p.id IS NOT NULL AND c.status IS DISTINCT FROM 'succeeded'`,
      subject: 'p.id',
      expected: 'p.charge_id',
      found: `COALESCE(c.status, 'none')`,
    },
    {
      rule: 'A dispute is in the currency of its charge.',
      broken: 'p.currency <> c.currency',
      subject: 'p.id',
      expected: 'c.currency',
      found: 'p.currency',
    },
    {
      rule: 'Chargebacks take no more of a charge than was captured.',
      broken: 'n.taken > c.amount_captured',
      subject: 'c.id',
      expected: `'at most ' || c.amount_captured`,
      found: 'n.taken',
    },
    {
      rule: 'A charge names one of its disputes.',
      broken: 'p.id = n.id AND (c.dispute_id = ANY (n.ids)) IS NOT TRUE',
      subject: 'c.id',
      expected: 'p.id',
      found: `COALESCE(c.dispute_id, 'none')`,
    },
    {
      rule: 'The answer to an alert is a submission of evidence for its dispute.',
      broken: `p.alert_operation_id IS NOT NULL
        AND (a.subject_id, a.kind) IS DISTINCT FROM (p.id, 'submit_evidence')`,
      subject: 'p.id',
      expected: `'submit_evidence for ' || p.id`,
      found: `COALESCE(a.kind || ' for ' || a.subject_id, 'none')`,
    },
    {
      rule: 'A chargeback that was accepted is open only in a later round, or if a person has opened it.',
      broken: `p.status IN ('needs_response', 'under_review') AND p.round = 1 AND u.target IS NULL
        AND NOT (g.ids <@ ARRAY[p.alert_operation_id, p.earlier_answer_id])`,
      subject: 'p.id',
      expected: `'lost'`,
      found: 'p.status',
    },
    {
      rule: 'A charge with a chargeback is disputed.',
      broken: 'p.debit_id IS NOT NULL AND NOT c.disputed',
      subject: 'c.id',
      expected: `'disputed'`,
      found: `'not disputed'`,
    },
  ];
}

function bookingRules(): readonly Rule[] {
  const before = 'COALESCE(jsonb_array_length(p.earlier_bookings), 0)';
  const taken = `array_fill(-p.amount, ARRAY[${before} + (p.debit_id IS NOT NULL)::integer])`;
  const given = `array_fill(p.amount, ARRAY[${before} + COALESCE((p.status = 'won')::integer, 0)])`;
  return [
    {
      rule: 'A chargeback that was lost by its time is past due.',
      broken: `p.closed_reason = 'expired' AND NOT p.past_due`,
      subject: 'p.id',
      expected: `'past due'`,
      found: `'not past due'`,
    },
    {
      rule: 'A chargeback takes its amount once in each round, and nothing else does.',
      broken: differs(taken, 'b.taken'),
      subject: 'COALESCE(p.id, b.source_id)',
      expected: listed(taken),
      found: listed('b.taken'),
    },
    {
      rule: 'A round that was won gives the amount back once, and no other does.',
      broken: differs(given, 'b.given'),
      subject: 'COALESCE(p.id, b.source_id)',
      expected: listed(given),
      found: listed('b.given'),
    },
    {
      rule: 'A dispute names the balance transactions that were booked for it.',
      broken: `b.ids <> (SELECT array_agg(id ORDER BY id) FROM unnest(ARRAY[p.debit_id, p.credit_id]
        || ARRAY(SELECT unnest(ARRAY[r -> 'debit' ->> 'transactionId',
          r -> 'credit' ->> 'transactionId']) FROM ${EARLIER})) AS named (id) WHERE id IS NOT NULL)`,
      subject: 'p.id',
      expected: `array_to_string(b.ids, ' ')`,
      found: `concat_ws(' ', p.debit_id, p.credit_id, NULLIF(p.earlier_bookings::text, '[]'))`,
    },
    {
      rule: 'A dispute shows the fee that was booked for it.',
      broken: `b.fee <> p.debit_fee
        + (SELECT COALESCE(sum((r -> 'debit' ->> 'fee')::bigint), 0) FROM ${EARLIER})`,
      subject: 'p.id',
      expected: 'b.fee',
      found: 'p.debit_fee',
    },
    {
      rule: 'A dispute books only rounds that it has reached.',
      broken: 'b.round > p.round OR p.won_round > p.round',
      subject: 'p.id',
      expected: `'at most round ' || p.round`,
      found: `'round ' || GREATEST(b.round, p.won_round)`,
    },
    {
      rule: 'A dispute took and gave back its amount when that was booked.',
      broken: `(p.debited_at = ANY (b.times)) IS FALSE OR (p.credited_at = ANY (b.times)) IS FALSE`,
      subject: 'p.id',
      expected: `array_to_string(b.times, ' ')`,
      found: `concat_ws(' ', p.debited_at, p.credited_at)`,
    },
    {
      rule: 'A dispute is booked in its currency.',
      broken: 'b.mixed OR b.currency <> p.currency',
      subject: 'p.id',
      expected: 'p.currency',
      found: 'b.currency',
    },
    {
      rule: 'A dispute is booked for its own account and environment.',
      broken: '(b.account_id, b.livemode) <> (p.account_id, p.livemode)',
      subject: 'p.id',
      expected: ownerText('p'),
      found: ownerText('b'),
    },
  ];
}

/** Whether the amounts differ. @param amounts of the dispute: none if there is no dispute */
function differs(amounts: string, booked: string): string {
  return `${amounts} <> COALESCE(${booked}, '{}')`;
}

function listed(amounts: string): string {
  return `COALESCE(NULLIF(array_to_string(${amounts}, ' '), ''), 'nothing')`;
}
