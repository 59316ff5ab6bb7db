import { ownerText, type Rule, type Scan } from './rule.ts';

/**
 * Disputes (`p`) with charge (`c`), the balance transactions that took the money (`b`) and gave it
 * back (`w`), all disputes of the charge (`n`), and the answer to the alert that it was (`a`).
 */
export const disputeScan: Scan = {
  from: (s) => `${s}.disputes p
    FULL JOIN (SELECT * FROM ${s}.balance_transactions WHERE type = 'dispute') b
      ON b.source_id = p.id
    FULL JOIN (SELECT * FROM ${s}.balance_transactions WHERE type = 'dispute_won') w
      ON w.source_id = p.id
    LEFT JOIN ${s}.charges c
      ON (c.account_id, c.livemode, c.id) = (p.account_id, p.livemode, p.charge_id)
    LEFT JOIN (SELECT account_id, livemode, charge_id, max(id) AS id, array_agg(id) AS ids,
        max(id) FILTER (WHERE status IN ('warning_needs_response', 'needs_response', 'under_review'))
          AS open_id,
        sum(amount) FILTER (WHERE status IN ('needs_response', 'under_review', 'lost')) AS taken
      FROM ${s}.disputes GROUP BY account_id, livemode, charge_id) n
      ON (n.account_id, n.livemode, n.charge_id) = (p.account_id, p.livemode, p.charge_id)
    LEFT JOIN ${s}.operations a
      ON (a.account_id, a.livemode, a.id) = (p.account_id, p.livemode, p.alert_operation_id)`,
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
      rule: 'A charge names its open dispute, or else one of its disputes.',
      broken: `p.id = n.id AND (c.dispute_id = ANY (n.ids)
        AND c.dispute_id = COALESCE(n.open_id, c.dispute_id)) IS NOT TRUE`,
      subject: 'c.id',
      expected: 'COALESCE(n.open_id, p.id)',
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
      rule: 'A charge with a chargeback is disputed.',
      broken: 'p.debit_id IS NOT NULL AND NOT c.disputed',
      subject: 'c.id',
      expected: `'disputed'`,
      found: `'not disputed'`,
    },
  ];
}

function bookingRules(): readonly Rule[] {
  const taken = 'CASE WHEN p.debit_id IS NOT NULL THEN p.amount END';
  const given = `CASE WHEN p.status = 'won' THEN p.amount END`;
  return [
    {
      rule: 'A chargeback that was lost by its time is past due.',
      broken: `p.closed_reason = 'expired' AND NOT p.past_due`,
      subject: 'p.id',
      expected: `'past due'`,
      found: `'not past due'`,
    },
    {
      rule: 'A chargeback takes its amount once, and nothing else does.',
      broken: `-(${taken}) IS DISTINCT FROM b.amount AND (p.id IS NOT NULL OR b.id IS NOT NULL)`,
      subject: 'COALESCE(p.id, b.source_id)',
      expected: `COALESCE((-(${taken}))::text, 'not booked')`,
      found: `COALESCE(b.amount::text, 'not booked')`,
    },
    {
      rule: 'A dispute that was won gives its amount back once, and no other does.',
      broken: `${given} IS DISTINCT FROM w.amount AND (p.id IS NOT NULL OR w.id IS NOT NULL)`,
      subject: 'COALESCE(p.id, w.source_id)',
      expected: `COALESCE((${given})::text, 'not given back')`,
      found: `COALESCE(w.amount::text, 'not given back')`,
    },
    {
      rule: 'A dispute names the balance transactions that were booked for it.',
      broken: 'b.id <> p.debit_id OR w.id <> p.credit_id',
      subject: 'p.id',
      expected: `concat_ws(' ', b.id, w.id)`,
      found: `concat_ws(' ', p.debit_id, p.credit_id)`,
    },
    {
      rule: 'A dispute shows the fee that was booked for it.',
      broken: 'b.fee <> p.debit_fee',
      subject: 'p.id',
      expected: 'b.fee',
      found: 'p.debit_fee',
    },
    {
      rule: 'A dispute is booked in its currency.',
      broken: 'b.currency <> p.currency OR w.currency <> p.currency',
      subject: 'p.id',
      expected: 'p.currency',
      found: `concat_ws(' ', b.currency, w.currency)`,
    },
    {
      rule: 'A dispute is booked for its own account and environment.',
      broken: `(b.account_id, b.livemode) <> (p.account_id, p.livemode)
        OR (w.account_id, w.livemode) <> (p.account_id, p.livemode)`,
      subject: 'p.id',
      expected: ownerText('p'),
      found: `concat_ws(', ', ${ownerText('b')}, ${ownerText('w')})`,
    },
  ];
}
