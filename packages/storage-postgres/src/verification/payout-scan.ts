import { APPROVED, OPEN } from './charge-scan.ts';
import type { Rule, Scan } from './rule.ts';

/**
 * Payouts (`p`) with their bank account (`a`), their posting (`b`), what gave them back (`f`), the
 * hand-over to the bank (`h`), and their operation (`o`).
 */
export const payoutScan: Scan = {
  from: (s) => `${s}.payouts p
    FULL JOIN (SELECT * FROM ${s}.balance_transactions WHERE type = 'payout') b
      ON b.source_id = p.id
    FULL JOIN (SELECT * FROM ${s}.balance_transactions
      WHERE type IN ('payout_failure', 'payout_cancel')) f ON f.source_id = p.id
    LEFT JOIN (SELECT source_id, count(*) AS times FROM ${s}.ledger_transaction
      WHERE kind = 'payout_paid' GROUP BY source_id) h ON h.source_id = p.id
    LEFT JOIN ${s}.bank_accounts a
      ON (a.account_id, a.livemode, a.id) = (p.account_id, p.livemode, p.destination_id)
    LEFT JOIN (SELECT subject_id, min(amount) AS amount, min(currency) AS currency,
        bool_or(${OPEN}) AS open, bool_or(state = 'quarantined') AS quarantined,
        bool_or(${APPROVED}) AS approved
      FROM ${s}.operations WHERE kind = 'payout' GROUP BY subject_id) o ON o.subject_id = p.id`,
  rules: [...bookingRules(), ...timeRules(), ...destinationRules(), ...approvalRules()],
};

function bookingRules(): readonly Rule[] {
  return [
    {
      rule: 'A payout took its amount from the balance once.',
      broken: '(-p.amount, p.currency) IS DISTINCT FROM (b.amount, b.currency)',
      subject: 'COALESCE(p.id, b.source_id)',
      expected: `COALESCE(-p.amount || ' ' || p.currency, 'no payout')`,
      found: `COALESCE(b.amount || ' ' || b.currency, 'none')`,
    },
    {
      rule: 'A payout names its balance transaction.',
      broken: 'p.id IS NOT NULL AND p.balance_transaction_id IS DISTINCT FROM b.id',
      subject: 'p.id',
      expected: 'p.balance_transaction_id',
      found: `COALESCE(b.id, 'none')`,
    },
    {
      rule: 'A payout that failed or was canceled gave its amount back once, and no other did.',
      broken: `CASE WHEN p.status IN ('failed', 'canceled') THEN p.amount END
        IS DISTINCT FROM f.amount`,
      subject: 'COALESCE(p.id, f.source_id)',
      expected: `COALESCE((CASE WHEN p.status IN ('failed', 'canceled') THEN p.amount END)::text, 'none')`,
      found: `COALESCE(f.amount::text, 'none')`,
    },
    {
      rule: 'A payout names the balance transaction that gave it back.',
      broken: `p.id IS NOT NULL AND p.failure_balance_transaction_id IS DISTINCT FROM f.id`,
      subject: 'p.id',
      expected: `COALESCE(p.failure_balance_transaction_id, 'none')`,
      found: `COALESCE(f.id, 'none')`,
    },
    {
      rule: 'A payout that is paid was handed to the bank, and no payout that is on its way or canceled was.',
      broken: `CASE WHEN p.status = 'paid' THEN h.times IS NULL
        WHEN p.status IN ('pending', 'in_transit', 'canceled') THEN h.times IS NOT NULL END`,
      subject: 'p.id',
      expected: 'p.status',
      found: `CASE WHEN h.times IS NULL THEN 'not handed over' ELSE 'handed over' END`,
    },
  ];
}

function timeRules(): readonly Rule[] {
  return [
    {
      rule: 'A payout was booked when it was made.',
      broken: 'b.created <> p.created',
      subject: 'p.id',
      expected: 'p.created',
      found: 'b.created',
    },
    {
      rule: 'A payout that failed was given back as a failure, and a canceled one as a cancellation.',
      broken: `f.type <> CASE p.status WHEN 'failed' THEN 'payout_failure'
        WHEN 'canceled' THEN 'payout_cancel' ELSE f.type END`,
      subject: 'p.id',
      expected: 'p.status',
      found: 'f.type',
    },
  ];
}

function destinationRules(): readonly Rule[] {
  return [
    {
      rule: 'A payout goes to a bank account of its account, environment and currency.',
      broken: 'p.id IS NOT NULL AND a.currency IS DISTINCT FROM p.currency',
      subject: 'p.id',
      expected: 'p.currency',
      found: `COALESCE(a.currency, 'none')`,
    },
    {
      rule: 'An operation asks for the amount and currency of its payout.',
      broken: '(o.amount, o.currency) <> (p.amount, p.currency)',
      subject: 'p.id',
      expected: `p.amount || ' ' || p.currency`,
      found: `o.amount || ' ' || o.currency`,
    },
  ];
}

function approvalRules(): readonly Rule[] {
  return [
    {
      rule: 'A payout that the processor approved is paid or was returned.',
      broken: `o.approved AND p.status NOT IN ('paid', 'failed')`,
      subject: 'p.id',
      expected: `'paid'`,
      found: 'p.status',
    },
    {
      rule: 'A payout is paid by an approved operation only.',
      broken: `p.status = 'paid' AND o.approved IS NOT TRUE`,
      subject: 'p.id',
      expected: `'an approved operation'`,
      found: `'none'`,
    },
    {
      rule: 'A payout on its way has an operation that is open or waits for a person.',
      broken: `p.status IN ('pending', 'in_transit')
        AND NOT COALESCE(o.open OR o.quarantined, false)`,
      subject: 'p.id',
      expected: `'an open operation'`,
      found: `'none'`,
    },
  ];
}
