import { HOOK_WAIT_MS } from '@paymount/core/payments';
import { APPROVED } from './charge-scan.ts';
import { type Rule, readAll, type Scan } from './rule.ts';

/**
 * Operations (`o`) with their charge (`c`), their refund (`r`), dispute (`p`) or payout (`w`) if they are
 * about one, and the decision of a person (`d`) if there is one.
 */
export const operationScan: Scan = {
  from: (s, now) => `(SELECT *, ${APPROVED} AS approved,
      review_since < ${now} - ${HOOK_WAIT_MS} * interval '1 ms' AS waits
      FROM ${readAll(s, 'operations')} o) o
    LEFT JOIN ${readAll(s, 'charges')} c
      ON (c.account_id, c.livemode, c.id) = (o.account_id, o.livemode, o.charge_id)
    LEFT JOIN ${s}.refunds r
      ON (r.account_id, r.livemode, r.id) = (o.account_id, o.livemode, o.subject_id)
    LEFT JOIN ${s}.disputes p
      ON (p.account_id, p.livemode, p.id) = (o.account_id, o.livemode, o.subject_id)
    LEFT JOIN ${s}.payouts w
      ON (w.account_id, w.livemode, w.id) = (o.account_id, o.livemode, o.subject_id)
    LEFT JOIN (SELECT operation_id, answer FROM ${s}.operation_answers
      WHERE source = 'operator') d ON d.operation_id = o.id`,
  rules: [
    {
      rule: 'No operation is quarantined.',
      broken: `o.state = 'quarantined'`,
      subject: 'o.id',
      expected: `'settled by a person'`,
      found: `'quarantined'`,
    },
    {
      rule: 'No operation was answered differently after it was closed, unless a person dismissed it.',
      broken: `o.state IN ('done', 'failed') AND o.review_since IS NOT NULL`,
      subject: 'o.id',
      expected: `'dismissed'`,
      found: `'answered late'`,
    },
    {
      rule: 'No result waits for the hook for more than 5 minutes.',
      broken: `o.state = 'unknown' AND o.waits`,
      subject: 'o.id',
      expected: `'recorded'`,
      found: `'waits for the hook'`,
    },
    {
      rule: 'An operation is for a charge of its account and environment.',
      broken: `c.id IS NULL AND o.kind <> 'payout'`,
      subject: 'o.id',
      expected: `COALESCE(o.charge_id, 'a charge')`,
      found: `'none'`,
    },
    {
      rule: 'An operation is for its charge, or for a refund or dispute of that charge.',
      broken: `CASE WHEN o.kind = 'payout' THEN o.charge_id IS NOT NULL
        WHEN o.subject_id = o.charge_id
          THEN o.kind IN ('refund', 'submit_evidence', 'accept_dispute')
        WHEN o.kind IN ('submit_evidence', 'accept_dispute')
          THEN p.charge_id IS DISTINCT FROM o.charge_id
        ELSE r.charge_id IS DISTINCT FROM o.charge_id END`,
      subject: 'o.id',
      expected: `COALESCE(o.charge_id, 'no charge')`,
      found: `o.kind || ' for ' || o.subject_id || ' of ' || COALESCE(r.charge_id, p.charge_id, 'none')`,
    },
    {
      rule: 'An operation for a payout is for one of its account and environment.',
      broken: `o.kind = 'payout' AND w.id IS NULL`,
      subject: 'o.id',
      expected: 'o.subject_id',
      found: `'none'`,
    },
    {
      rule: 'An operation is for the processor of its charge or payout.',
      broken: 'o.processor <> COALESCE(c.processor_name, w.processor_name)',
      subject: 'o.id',
      expected: 'COALESCE(c.processor_name, w.processor_name)',
      found: 'o.processor',
    },
    ...amountRules(),
  ],
};

function amountRules(): readonly Rule[] {
  return [
    {
      rule: 'An operation asks in the currency of its charge.',
      broken: 'o.currency <> c.currency',
      subject: 'o.id',
      expected: 'c.currency',
      found: 'o.currency',
    },
    {
      rule: 'An operation asks for the amount of its charge, refund or dispute; a capture may ask for less.',
      broken: `CASE o.kind WHEN 'payout' THEN false WHEN 'refund' THEN o.amount <> r.amount
        WHEN 'submit_evidence' THEN false WHEN 'accept_dispute' THEN o.amount <> p.amount
        WHEN 'capture' THEN o.amount > c.amount ELSE o.amount <> c.amount END`,
      subject: 'o.id',
      expected: `CASE o.kind WHEN 'refund' THEN r.amount ELSE c.amount END`,
      found: 'o.amount',
    },
    {
      rule: 'What was captured is what the processor approved.',
      broken: `o.approved AND c.status = 'succeeded' AND c.amount_captured::text IS DISTINCT FROM o.outcome ->> 'amount'
        AND o.kind = CASE c.capture_method WHEN 'automatic' THEN 'authorize' ELSE 'capture' END`,
      subject: 'c.id',
      expected: `COALESCE(o.outcome ->> 'amount', 'none')`,
      found: 'c.amount_captured',
    },
    {
      rule: 'The processor approved what it was asked for, or a person settled it for less.',
      broken: `o.approved AND (o.outcome ->> 'amount', o.outcome ->> 'currency')
        IS DISTINCT FROM (o.amount::text, o.currency) AND d.answer IS DISTINCT FROM o.outcome`,
      subject: 'o.id',
      expected: `o.amount || ' ' || o.currency`,
      found: `concat_ws(' ', o.outcome ->> 'amount', o.outcome ->> 'currency')`,
    },
    {
      rule: 'An operation that failed was not approved.',
      broken: `o.state = 'failed' AND o.outcome ->> 'outcome' = 'approved'`,
      subject: 'o.id',
      expected: `'done'`,
      found: `'failed, and approved'`,
    },
    {
      rule: 'An operation that is done has an outcome.',
      broken: `o.state = 'done' AND o.outcome IS NULL`,
      subject: 'o.id',
      expected: `'an outcome'`,
      found: `'none'`,
    },
  ];
}
