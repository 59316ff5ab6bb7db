import { APPROVED, OPEN } from './charge-scan.ts';
import { returnedRefunds } from './returned-refunds.ts';
import { ownerText, type Rule, type Scan } from './rule.ts';

/**
 * Refunds (`r`) with charge (`c`), posting (`b`), the reversal of the posting (`f`), and operations
 * (`o`), and the notice that returned it (`n`) if one did.
 */
export const refundScan: Scan = {
  from: (s) => `${s}.refunds r
    FULL JOIN (SELECT * FROM ${s}.balance_transactions WHERE type = 'refund') b
      ON b.source_id = r.id
    FULL JOIN (SELECT * FROM ${s}.balance_transactions WHERE type = 'refund_failure') f
      ON f.source_id = r.id
    LEFT JOIN ${s}.charges c
      ON (c.account_id, c.livemode, c.id) = (r.account_id, r.livemode, r.charge_id)
    LEFT JOIN (SELECT subject_id, bool_or(${OPEN}) AS open,
        bool_or(state = 'quarantined') AS quarantined, bool_or(${APPROVED}) AS approved
      FROM ${s}.operations WHERE subject_id <> charge_id GROUP BY subject_id) o
      ON o.subject_id = r.id
    LEFT JOIN (${returnedRefunds(s)}) n ON n.subject_id = r.id`,
  rules: [...chargeRules(), ...bookingRules(), ...approvalRules()],
};

function chargeRules(): readonly Rule[] {
  return [
    {
      rule: 'A refund has a charge of its account and environment.',
      broken: 'r.id IS NOT NULL AND c.id IS NULL',
      subject: 'r.id',
      expected: 'r.charge_id',
      found: `'none'`,
    },
    {
      rule: 'A refund is in the currency of its charge.',
      broken: 'r.currency <> c.currency',
      subject: 'r.id',
      expected: 'c.currency',
      found: 'r.currency',
    },
  ];
}

function bookingRules(): readonly Rule[] {
  const booked = 'CASE WHEN r.balance_transaction_id IS NOT NULL THEN r.amount END';
  const given = `CASE WHEN r.status IN ('failed', 'canceled') THEN ${booked} END`;
  return [
    {
      rule: 'A booked refund has one balance transaction of its amount, and nothing else has one.',
      broken: `-(${booked}) IS DISTINCT FROM b.amount AND (r.id IS NOT NULL OR b.id IS NOT NULL)`,
      subject: 'COALESCE(r.id, b.source_id)',
      expected: `COALESCE((-(${booked}))::text, 'not booked')`,
      found: `COALESCE(b.amount::text, 'not booked')`,
    },
    {
      rule: 'A refund that failed or was canceled is given back once, and no other is.',
      broken: `${given} IS DISTINCT FROM f.amount AND (r.id IS NOT NULL OR f.id IS NOT NULL)`,
      subject: 'COALESCE(r.id, f.source_id)',
      expected: `COALESCE((${given})::text, 'not given back')`,
      found: `COALESCE(f.amount::text, 'not given back')`,
    },
    {
      rule: 'A succeeded refund of a captured charge is booked.',
      broken: `r.status = 'succeeded' AND c.status = 'succeeded'
        AND r.balance_transaction_id IS NULL`,
      subject: 'r.id',
      expected: `'a balance transaction'`,
      found: `'none'`,
    },
    {
      rule: 'A refund names the balance transactions that were booked for it.',
      broken: `b.id <> r.balance_transaction_id OR r.id IS NOT NULL AND f.id IS NOT NULL
        AND f.id IS DISTINCT FROM r.failure_balance_transaction_id`,
      subject: 'r.id',
      expected: `concat_ws(' ', b.id, f.id)`,
      found: `concat_ws(' ', r.balance_transaction_id, r.failure_balance_transaction_id)`,
    },
    {
      rule: 'A refund is booked in its currency.',
      broken: 'b.currency <> r.currency OR f.currency <> r.currency',
      subject: 'r.id',
      expected: 'r.currency',
      found: `concat_ws(' ', b.currency, f.currency)`,
    },
    {
      rule: 'A refund was booked when it was made.',
      broken: 'b.created <> r.created',
      subject: 'r.id',
      expected: 'r.created',
      found: 'b.created',
    },
    {
      rule: 'A refund is booked for its own account and environment.',
      broken: `(b.account_id, b.livemode) <> (r.account_id, r.livemode)
        OR (f.account_id, f.livemode) <> (r.account_id, r.livemode)`,
      subject: 'r.id',
      expected: ownerText('r'),
      found: `concat_ws(', ', ${ownerText('b')}, ${ownerText('f')})`,
    },
  ];
}

function approvalRules(): readonly Rule[] {
  const approval = (rule: string, broken: string, expected: string): Rule => ({
    rule,
    broken,
    subject: 'r.id',
    expected: `'${expected}'`,
    found: 'r.status',
  });
  return [
    approval(
      'A refund that was approved has succeeded, unless the processor returned it later.',
      `o.approved AND r.status <> CASE WHEN n.subject_id IS NULL THEN 'succeeded' ELSE 'failed' END`,
      'succeeded',
    ),
    approval(
      'A refund succeeds by an approved operation only.',
      `r.status = 'succeeded' AND o.approved IS NOT TRUE`,
      'an approved operation',
    ),
    approval(
      'A pending refund has an operation in progress.',
      `r.status = 'pending' AND (o.open OR o.quarantined) IS NOT TRUE`,
      'an operation in progress',
    ),
    approval(
      'A refund in its final state has no operation in progress.',
      `r.status <> 'pending' AND o.open`,
      'no operation in progress',
    ),
  ];
}
