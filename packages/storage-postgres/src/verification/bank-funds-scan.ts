import type { Scan } from './rule.ts';

/**
 * What is pending of bank debits, for each ledger: what is kept (`k`), and the sum of the balance
 * transactions of debits, their refunds, and refunds that failed (`b`).
 */
export const bankFundsScan: Scan = {
  from: (s) => `(SELECT account_id, livemode, currency, sum(amount) AS amount
      FROM ${s}.pending_bank_funds GROUP BY account_id, livemode, currency) k
    FULL JOIN (SELECT t.account_id, t.livemode, t.currency, sum(t.amount - t.fee) AS amount
      FROM ${s}.balance_transactions t
      LEFT JOIN ${s}.refunds r
        ON (r.account_id, r.livemode, r.id) = (t.account_id, t.livemode, t.source_id)
      LEFT JOIN ${s}.balance_transactions d ON (d.account_id, d.livemode, d.source_id, d.type)
        = (r.account_id, r.livemode, r.charge_id, 'payment')
      WHERE t.status = 'pending' AND (t.type = 'payment'
        OR t.type IN ('refund', 'refund_failure') AND d.id IS NOT NULL)
      GROUP BY t.account_id, t.livemode, t.currency) b
      ON (b.account_id, b.livemode, b.currency) = (k.account_id, k.livemode, k.currency)`,
  rules: [
    {
      rule: 'What is pending of bank debits is the sum of their pending balance transactions.',
      broken: 'COALESCE(k.amount, 0) <> COALESCE(b.amount, 0)',
      subject: `COALESCE(k.account_id, b.account_id) || ' ' || COALESCE(k.currency, b.currency)`,
      expected: 'COALESCE(b.amount, 0)',
      found: 'COALESCE(k.amount, 0)',
    },
  ],
};
