import type { Scan } from './rule.ts';

/** Charges (`c`) with their customers (`x`) and captures (`b`), if one of them is on a test clock. */
export const clockedChargeScan: Scan = {
  from: (s) => `(SELECT c.id, c.test_clock_id AS clock, x.test_clock_id AS customers,
      b.test_clock_id AS captures, b.id IS NOT NULL AS is_captured
    FROM ${s}.charges c
    LEFT JOIN ${s}.customers x
      ON (x.account_id, x.livemode, x.id) = (c.account_id, c.livemode, c.customer_id)
    LEFT JOIN ${s}.balance_transactions b
      ON (b.account_id, b.livemode, b.id) = (c.account_id, c.livemode, c.balance_transaction_id)
    WHERE num_nonnulls(c.test_clock_id, x.test_clock_id, b.test_clock_id) > 0) c`,
  rules: [
    {
      rule: 'A charge is on the test clock of its customer.',
      broken: 'c.clock IS DISTINCT FROM c.customers',
      subject: 'c.id',
      expected: `COALESCE(c.customers, 'none')`,
      found: `COALESCE(c.clock, 'none')`,
    },
    {
      rule: 'What a charge took is on the test clock of the charge.',
      broken: 'c.is_captured AND c.captures IS DISTINCT FROM c.clock',
      subject: 'c.id',
      expected: `COALESCE(c.clock, 'none')`,
      found: `COALESCE(c.captures, 'none')`,
    },
  ],
};

/** Balance transactions (`b`) on test clocks (`k`). */
export const clockedFundsScan: Scan = {
  from: (s) => `(SELECT * FROM ${s}.balance_transactions WHERE test_clock_id IS NOT NULL) b
    LEFT JOIN ${s}.test_clocks k
      ON (k.account_id, k.livemode, k.id) = (b.account_id, b.livemode, b.test_clock_id)`,
  rules: [
    {
      rule: 'Funds on a test clock are available only once it shows their time.',
      broken: `k.id IS NULL OR b.status = 'available' AND b.available_on > k.frozen_time`,
      subject: 'b.id',
      expected: 'b.available_on',
      found: `COALESCE(k.frozen_time::text, 'no test clock')`,
    },
  ],
};
