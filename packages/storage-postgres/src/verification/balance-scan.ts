import type { Scan } from './rule.ts';

const CHART = `'processor_clearing', 'bank', 'pending', 'available', 'reserved',
  'payouts_in_transit', 'fees_revenue', 'processor_fees', 'losses'`;

/**
 * Ledger accounts (`a`) with the sum of their entries (`e`) and of the postings that have not been
 * folded into the balance yet (`t`).
 */
export const balanceScan: Scan = {
  from: (s) => `(SELECT *, code IN ('pending', 'available', 'reserved') AS limited,
        account_id || ' ' || code || ' ' || currency AS name,
        count(*) OVER (PARTITION BY account_id, livemode, currency) AS codes
      FROM ${s}.ledger_account) a
    LEFT JOIN (SELECT ledger_account_id, -sum(amount) AS credit FROM ${s}.ledger_entry
      GROUP BY ledger_account_id) e ON e.ledger_account_id = a.id
    FULL JOIN (SELECT ledger_account_id, sum(amount) AS credit FROM ${s}.ledger_tail
      GROUP BY ledger_account_id) t ON t.ledger_account_id = a.id`,
  rules: [
    {
      rule: 'The balance of a limited ledger account is what its entries sum to.',
      broken: 'a.balance + COALESCE(t.credit, 0) <> COALESCE(e.credit, 0)',
      subject: 'a.name',
      expected: 'COALESCE(e.credit, 0)',
      found: 'a.balance + COALESCE(t.credit, 0)',
    },
    {
      rule: 'What is reserved is not below zero.',
      broken: `a.code = 'reserved' AND a.balance + COALESCE(t.credit, 0) < 0`,
      subject: 'a.name',
      expected: `'0 or more'`,
      found: 'a.balance + COALESCE(t.credit, 0)',
    },
    {
      rule: 'What is posted and not folded yet is for a limited ledger account.',
      broken: 't.ledger_account_id IS NOT NULL AND a.limited IS NOT TRUE',
      subject: `COALESCE(a.name, 'ledger account ' || t.ledger_account_id)`,
      expected: `'none'`,
      found: 't.credit',
    },
    {
      // Only the column: debts are determined when the tail is folded.
      rule: 'The debt of a ledger account is what its balance is below zero, and only available has any.',
      broken: `a.debt <> CASE a.code WHEN 'available' THEN GREATEST(0, -a.balance) ELSE 0 END`,
      subject: 'a.name',
      expected: `CASE a.code WHEN 'available' THEN GREATEST(0, -a.balance) ELSE 0 END`,
      found: 'a.debt',
    },
    {
      rule: 'Limited ledger accounts carry a balance, and no others do.',
      broken: '(a.balance IS NOT NULL) <> a.limited',
      subject: 'a.name',
      expected: `CASE WHEN a.limited THEN 'a balance' ELSE 'none' END`,
      found: `COALESCE(a.balance::text, 'none')`,
    },
    {
      rule: 'A ledger account is one of the chart.',
      broken: `a.code NOT IN (${CHART})`,
      subject: 'a.name',
      expected: `'a code of the chart'`,
      found: 'a.code',
    },
    {
      rule: 'A ledger has the nine ledger accounts of the chart.',
      broken: `a.codes <> 9 AND a.code = 'pending'`,
      subject: `a.account_id || ' ' || a.currency`,
      expected: '9',
      found: 'a.codes',
    },
  ],
};
