import { type Rule, readAll, type Scan } from './rule.ts';

/** Charges (`c`) with their payment methods (`m`), and the customers that they name (`x`). */
export const chargedMethodScan: Scan = {
  from: (s) => `${readAll(s, 'charges')} c
    FULL JOIN ${readAll(s, 'payment_methods')} m
      ON (m.account_id, m.livemode, m.id) = (c.account_id, c.livemode, c.payment_method_id)
    LEFT JOIN ${s}.customers x
      ON (x.account_id, x.livemode, x.id) = (c.account_id, c.livemode, c.customer_id)`,
  rules: [...payerRules(), ...oneUseRules()],
};

function payerRules(): readonly Rule[] {
  return [
    {
      rule: 'The payment method of a charge exists.',
      broken: 'c.id IS NOT NULL AND m.id IS NULL',
      subject: 'c.id',
      expected: 'c.payment_method_id',
      found: `'none'`,
    },
    {
      rule: 'The customer of a charge exists.',
      broken: 'c.customer_id IS NOT NULL AND x.id IS NULL',
      subject: 'c.id',
      expected: 'c.customer_id',
      found: `'none'`,
    },
    {
      rule: 'A charge with a payment method of a customer is a charge of that customer.',
      broken:
        'c.id IS NOT NULL AND m.customer_id IS NOT NULL AND c.customer_id IS DISTINCT FROM m.customer_id',
      subject: 'c.id',
      expected: 'm.customer_id',
      found: `COALESCE(c.customer_id, 'none')`,
    },
    {
      rule: 'A charge shows a card if its payment method is one, and a bank account if it is one.',
      broken:
        'c.id IS NOT NULL AND m.id IS NOT NULL AND (c.us_bank_account IS NULL) <> (m.us_bank_account IS NULL)',
      subject: 'c.id',
      expected: `CASE WHEN m.us_bank_account IS NULL THEN 'a card' ELSE 'a bank account' END`,
      found: `CASE WHEN c.us_bank_account IS NULL THEN 'a card' ELSE 'a bank account' END`,
    },
    {
      rule: 'A bank account is debited with a mandate.',
      broken: 'c.us_bank_account IS NOT NULL AND m.id IS NOT NULL AND m.mandate IS NULL',
      subject: 'c.id',
      expected: `'a mandate of ' || m.id`,
      found: `'none'`,
    },
  ];
}

function oneUseRules(): readonly Rule[] {
  return [
    {
      rule: 'A payment method that no customer had pays one charge, which it names.',
      broken: `c.id IS NOT NULL AND m.id IS NOT NULL AND m.customer_id IS NULL
        AND m.detached_at IS NULL AND m.consumed_by IS DISTINCT FROM c.id`,
      subject: 'c.id',
      expected: `COALESCE(m.consumed_by, 'no charge')`,
      found: `'charged with ' || m.id`,
    },
    {
      rule: 'A payment method that was used up has paid the charge that it names.',
      broken: 'm.consumed_by IS NOT NULL AND c.id IS NULL',
      subject: 'm.id',
      expected: 'm.consumed_by',
      found: `'no charge'`,
    },
    {
      rule: 'A charge whose payment method pays once has no customer.',
      broken: 'm.consumed_by IS NOT NULL AND c.customer_id IS NOT NULL',
      subject: 'c.id',
      expected: `'no customer'`,
      found: 'c.customer_id',
    },
  ];
}

/** Payment methods (`m`) that are attached to customers (`x`). */
export const attachedMethodScan: Scan = {
  from: (s) => `(SELECT * FROM ${s}.payment_methods WHERE customer_id IS NOT NULL) m
    LEFT JOIN ${s}.customers x
      ON (x.account_id, x.livemode, x.id) = (m.account_id, m.livemode, m.customer_id)`,
  rules: [
    {
      rule: 'The customer of a payment method exists.',
      broken: 'x.id IS NULL',
      subject: 'm.id',
      expected: 'm.customer_id',
      found: `'none'`,
    },
    {
      rule: 'A customer that was deleted has no payment method.',
      broken: 'x.deleted_at IS NOT NULL',
      subject: 'x.id',
      expected: `'none'`,
      found: 'm.id',
    },
    {
      rule: 'A payment method is on the test clock of its customer.',
      broken: 'x.id IS NOT NULL AND m.test_clock_id IS DISTINCT FROM x.test_clock_id',
      subject: 'm.id',
      expected: `COALESCE(x.test_clock_id, 'none')`,
      found: `COALESCE(m.test_clock_id, 'none')`,
    },
  ],
};

/** Customers (`x`) with their default payment methods (`m`). */
export const customerScan: Scan = {
  from: (s) => `${s}.customers x
    LEFT JOIN ${s}.payment_methods m
      ON (m.account_id, m.livemode, m.id) = (x.account_id, x.livemode, x.default_payment_method_id)`,
  rules: [
    {
      rule: 'The default payment method of a customer is attached to that customer.',
      broken: 'x.default_payment_method_id IS NOT NULL AND m.customer_id IS DISTINCT FROM x.id',
      subject: 'x.id',
      expected: `'a payment method of ' || x.id`,
      found: `CASE WHEN m.id IS NULL THEN 'none' ELSE COALESCE(m.customer_id, 'one of nobody') END`,
    },
    {
      rule: 'The balance of a customer that earlier versions read is that in its currency.',
      broken: 'x.balance <> COALESCE((x.balances ->> x.currency)::bigint, 0)',
      subject: 'x.id',
      expected: 'COALESCE((x.balances ->> x.currency)::bigint, 0)',
      found: 'x.balance',
    },
  ],
};
