import { ownerText, type Scan } from './rule.ts';

/**
 * What automatic payouts contain (`c`: the balance transactions that are marked with one id, and the
 * debit of the payout itself), the payouts (`p`), and the runs that collect for the next one (`r`).
 */
export const payoutContentScan: Scan = {
  from: (s) => `(SELECT account_id, livemode, currency, payout_id,
        COALESCE(sum(amount - fee) FILTER (WHERE source_id <> payout_id), 0) AS net,
        count(*) FILTER (WHERE source_id = payout_id) AS debits
      FROM ${s}.balance_transactions WHERE payout_id IS NOT NULL
      GROUP BY account_id, livemode, currency, payout_id) c
    FULL JOIN (SELECT * FROM ${s}.payouts WHERE period IS NOT NULL) p ON p.id = c.payout_id
    FULL JOIN (SELECT * FROM ${s}.payout_runs WHERE payout_id IS NOT NULL) r
      ON r.payout_id = c.payout_id`,
  rules: [
    {
      rule: 'An automatic payout is the sum of what it contains.',
      broken: 'p.id IS NOT NULL AND p.amount IS DISTINCT FROM c.net',
      subject: 'p.id',
      expected: 'p.amount',
      found: `COALESCE(c.net::text, 'nothing')`,
    },
    {
      rule: 'The debit of an automatic payout is marked with that payout, and so is in no other.',
      broken: 'p.id IS NOT NULL AND c.debits IS DISTINCT FROM 1',
      subject: 'p.id',
      expected: '1',
      found: 'COALESCE(c.debits, 0)',
    },
    {
      rule: 'A balance transaction is in an automatic payout that was made, or that is collected.',
      broken: 'c.payout_id IS NOT NULL AND p.id IS NULL AND r.payout_id IS NULL',
      subject: 'c.payout_id',
      expected: `'an automatic payout'`,
      found: `'none'`,
    },
    {
      rule: 'A balance transaction is in a payout of its account, environment and currency.',
      broken: `(c.account_id, c.livemode, c.currency) <> (p.account_id, p.livemode, p.currency)
        OR (c.account_id, c.livemode, c.currency) <> (r.account_id, r.livemode, r.currency)`,
      subject: 'c.payout_id',
      expected: `CASE WHEN p.id IS NULL THEN ${ownerText('r')} || ' ' || r.currency
        ELSE ${ownerText('p')} || ' ' || p.currency END`,
      found: `${ownerText('c')} || ' ' || c.currency`,
    },
    {
      rule: 'What is collected for the next automatic payout is what is marked with it.',
      broken: 'r.payout_id IS NOT NULL AND r.collected <> COALESCE(c.net, 0)',
      subject: 'r.payout_id',
      expected: 'COALESCE(c.net, 0)',
      found: 'r.collected',
    },
  ],
};
