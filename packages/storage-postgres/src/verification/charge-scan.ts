import { ownerText, type Rule, readAll, type Scan } from './rule.ts';

/** A refund that counts against its charge. The cancellation of an authorization moved no money. */
const COUNTED = "status IN ('pending', 'succeeded') AND balance_transaction_id IS NOT NULL";
export const OPEN = "state IN ('created', 'sent', 'unknown')";
export const APPROVED = "state = 'done' AND outcome ->> 'outcome' = 'approved'";

/**
 * Charges (`c`) with their capture (`b`), their refunds (`r`), the operations that decide their status
 * (`o`), and their disputes (`d`). Refunds and answers to disputes may be on their way long after that.
 */
export const chargeScan: Scan = {
  from: (s) => `${readAll(s, 'charges')} c
    FULL JOIN (SELECT * FROM ${readAll(s, 'balance_transactions')} b WHERE type IN ('charge', 'payment')) b
      ON b.source_id = c.id
    LEFT JOIN (SELECT charge_id, sum(amount) AS refunded FROM ${s}.refunds
      WHERE ${COUNTED} GROUP BY charge_id) r ON r.charge_id = c.id
    LEFT JOIN (SELECT charge_id,
        bool_or(${OPEN}) AS open, bool_or(state = 'quarantined') AS quarantined,
        bool_or(kind = 'authorize' AND ${APPROVED}) AS authorized,
        bool_or(kind = 'capture' AND ${APPROVED}) AS captured,
        bool_or(kind = 'cancel' AND ${APPROVED}) AS canceled
      FROM ${readAll(s, 'operations')} o WHERE kind IN ('authorize', 'capture', 'cancel')
      GROUP BY charge_id) o ON o.charge_id = c.id
    LEFT JOIN (SELECT account_id, livemode, charge_id, bool_or(debit_id IS NOT NULL) AS taken
      FROM ${s}.disputes GROUP BY account_id, livemode, charge_id) d
      ON (d.account_id, d.livemode, d.charge_id) = (c.account_id, c.livemode, c.id)`,
  rules: [...captureRules(), ...refundedSumRules(), ...disputedRules(), ...approvalRules()],
};

function captureRules(): readonly Rule[] {
  const captured = "CASE WHEN c.status = 'succeeded' THEN c.amount_captured END";
  return [
    {
      rule: 'A succeeded charge has one capture of its amount, and no other charge has any.',
      broken: `${captured} IS DISTINCT FROM b.amount`,
      subject: 'COALESCE(c.id, b.source_id)',
      expected: `COALESCE((${captured})::text, 'no capture')`,
      found: `COALESCE(b.amount::text, 'no capture')`,
    },
    {
      rule: 'A charge names the balance transaction of its capture.',
      broken: 'c.id IS NOT NULL AND c.balance_transaction_id IS DISTINCT FROM b.id',
      subject: 'c.id',
      expected: `COALESCE(b.id, 'none')`,
      found: `COALESCE(c.balance_transaction_id, 'none')`,
    },
    {
      rule: 'The capture of a card is a charge, and that of a bank debit a payment.',
      broken: "b.type <> CASE WHEN c.us_bank_account IS NULL THEN 'charge' ELSE 'payment' END",
      subject: 'c.id',
      expected: "CASE WHEN c.us_bank_account IS NULL THEN 'charge' ELSE 'payment' END",
      found: 'b.type',
    },
    {
      rule: 'A charge is captured in its currency.',
      broken: 'b.currency <> c.currency',
      subject: 'c.id',
      expected: 'c.currency',
      found: 'b.currency',
    },
    {
      rule: 'A charge was captured when its capture was booked.',
      broken: 'c.captured_at <> b.created',
      subject: 'c.id',
      expected: 'b.created',
      found: 'c.captured_at',
    },
    {
      rule: 'A charge is captured for its own account and environment.',
      broken: '(b.account_id, b.livemode) <> (c.account_id, c.livemode)',
      subject: 'c.id',
      expected: ownerText('c'),
      found: ownerText('b'),
    },
  ];
}

function refundedSumRules(): readonly Rule[] {
  return [
    {
      rule: 'The refunded amount of a charge is the sum of its pending and succeeded refunds.',
      broken: 'c.amount_refunded <> COALESCE(r.refunded, 0)',
      subject: 'c.id',
      expected: 'COALESCE(r.refunded, 0)',
      found: 'c.amount_refunded',
    },
    {
      rule: 'The refunds of a charge sum to no more than was captured.',
      broken: 'r.refunded > c.amount_captured',
      subject: 'c.id',
      expected: `'at most ' || c.amount_captured`,
      found: 'r.refunded',
    },
  ];
}

function disputedRules(): readonly Rule[] {
  return [
    {
      rule: 'A charge is disputed by a chargeback only.',
      broken: 'c.disputed AND d.taken IS NOT TRUE',
      subject: 'c.id',
      expected: `'a chargeback'`,
      found: `'none'`,
    },
    {
      rule: 'A charge that names a dispute has one.',
      broken: 'c.dispute_id IS NOT NULL AND d.charge_id IS NULL',
      subject: 'c.id',
      expected: 'c.dispute_id',
      found: `'none'`,
    },
  ];
}

/** The charge shows everything that the processor approved, and nothing else. */
function approvalRules(): readonly Rule[] {
  const approval = (rule: string, broken: string, expected: string): Rule => ({
    rule,
    broken,
    subject: 'c.id',
    expected: `'${expected}'`,
    found: 'c.status',
  });
  const expired = "c.failure ->> 'code' = 'charge_expired_for_capture'";
  return [
    approval(
      'A charge whose sale was approved has succeeded.',
      `o.authorized AND c.capture_method = 'automatic' AND c.status <> 'succeeded'`,
      'succeeded',
    ),
    approval(
      'A charge that was authorized stays so until it is captured, canceled or expires.',
      `o.authorized AND c.capture_method <> 'automatic'
        AND (c.status = 'pending' OR c.status = 'failed' AND ${expired} IS NOT TRUE)`,
      'authorized, or what follows',
    ),
    approval(
      'A charge whose capture was approved has succeeded.',
      `o.captured AND c.status <> 'succeeded'`,
      'succeeded',
    ),
    approval(
      'A charge whose cancellation was approved is canceled.',
      `o.canceled AND c.status <> 'canceled'`,
      'canceled',
    ),
    approval(
      'A charge succeeds by an approved operation only.',
      `c.status = 'succeeded' AND CASE c.capture_method WHEN 'automatic' THEN o.authorized
        ELSE o.captured END IS NOT TRUE`,
      'an approved operation',
    ),
    approval(
      'A charge is authorized by an approved operation only.',
      `c.status = 'authorized' AND o.authorized IS NOT TRUE`,
      'an approved operation',
    ),
    approval(
      'A charge is canceled by an approved operation only.',
      `c.status = 'canceled' AND o.canceled IS NOT TRUE`,
      'an approved operation',
    ),
    approval(
      'A pending charge has an operation in progress.',
      `c.status = 'pending' AND (o.open OR o.quarantined) IS NOT TRUE`,
      'an operation in progress',
    ),
    approval(
      'A charge in its final state has no operation in progress.',
      `c.status IN ('succeeded', 'failed', 'canceled') AND o.open`,
      'no operation in progress',
    ),
  ];
}
