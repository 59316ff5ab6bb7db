import { readAll, type Scan } from './rule.ts';

/** A chain: the moves of one customer in one currency. */
const CHAIN = '(PARTITION BY account_id, livemode, customer_id, currency ORDER BY number)';
const BALANCE = `COALESCE(t.customer_id, x.id) || ' ' || COALESCE(t.currency, x.currency)`;

/**
 * Moves of balances (`t`), each with the one before it, and the last of each chain with the balance that
 * the customer shows (`x`). A balance of a customer without a move has a row too.
 */
export const customerBalanceScan: Scan = {
  from: (s) => `(SELECT *, COALESCE(lag(number) OVER ${CHAIN}, 0) AS number_before,
        COALESCE(lag(ending_balance) OVER ${CHAIN}, 0) AS balance_before,
        CASE WHEN lead(number) OVER ${CHAIN} IS NULL THEN customer_id END AS last_of
      FROM ${readAll(s, 'customer_balance_transactions')} m) t
    FULL JOIN (SELECT c.account_id, c.livemode, c.id, c.currency AS own, b.key AS currency,
        b.value::bigint AS balance
      FROM ${s}.customers c CROSS JOIN LATERAL jsonb_each_text(c.balances) b) x
      ON (x.account_id, x.livemode, x.id, x.currency)
        = (t.account_id, t.livemode, t.last_of, t.currency)`,
  rules: [
    {
      rule: 'The balance transactions of a customer in a currency are numbered without gaps.',
      broken: 't.number <> t.number_before + 1',
      subject: 't.id',
      expected: 't.number_before + 1',
      found: 't.number',
    },
    {
      rule: 'The ending balance of a balance transaction is the one before plus the amount.',
      broken: 't.ending_balance <> t.balance_before + t.amount',
      subject: 't.id',
      expected: 't.balance_before + t.amount',
      found: 't.ending_balance',
    },
    {
      rule: 'The balance of a customer in a currency is the sum of its balance transactions.',
      broken:
        '(t.last_of IS NOT NULL OR t.id IS NULL) AND x.balance IS DISTINCT FROM t.ending_balance',
      subject: BALANCE,
      expected: `COALESCE(t.ending_balance::text, 'none')`,
      found: `COALESCE(x.balance::text, 'none')`,
    },
    {
      rule: 'A customer with balance transactions has a currency of its own.',
      broken: 'x.id IS NOT NULL AND x.own IS NULL',
      subject: BALANCE,
      expected: `'a currency'`,
      found: `'none'`,
    },
  ],
};
