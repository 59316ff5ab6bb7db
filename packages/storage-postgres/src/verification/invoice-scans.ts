import { ownerText, readAll, type Scan } from './rule.ts';

const SUM = `(SELECT COALESCE(sum((line ->> 'amount')::bigint), 0)
  FROM jsonb_array_elements(v.lines) line)`;

/** Invoices (`v`), each with the charge that it names (`c`). */
export const invoiceScan: Scan = {
  from: (s) => `${readAll(s, 'invoices')} v
    LEFT JOIN ${s}.charges c
      ON (c.account_id, c.livemode, c.id) = (v.account_id, v.livemode, v.charge_id)`,
  rules: [
    {
      rule: 'The total of an invoice is the sum of its lines.',
      broken: `v.total <> ${SUM}`,
      subject: 'v.id',
      expected: SUM,
      found: 'v.total',
    },
    {
      rule: 'What is due of an invoice and what is left of the balance are its total and the balance before.',
      broken: 'v.amount_due + v.ending_balance <> v.total + v.starting_balance',
      subject: 'v.id',
      expected: 'v.total + v.starting_balance',
      found: 'v.amount_due + v.ending_balance',
    },
    {
      rule: 'A paid invoice has a succeeded charge of its amount, nothing due, or was paid elsewhere.',
      broken: `v.status = 'paid' AND v.amount_due > 0 AND NOT v.paid_out_of_band
        AND (c.status = 'succeeded' AND c.amount = v.amount_due AND c.invoice_id = v.id) IS NOT TRUE`,
      subject: 'v.id',
      expected: `'a succeeded charge of ' || v.amount_due`,
      found: `COALESCE(c.status || ' charge of ' || c.amount, 'none')`,
    },
    {
      rule: 'An invoice whose charge has succeeded is paid.',
      broken: `v.status <> 'paid' AND c.status = 'succeeded' AND c.invoice_id = v.id`,
      subject: 'v.id',
      expected: `'paid'`,
      found: 'v.status',
    },
  ],
};

/** In the order of the numbers of one account and environment. */
const IN_ORDER = '(PARTITION BY account_id, livemode ORDER BY number)';
const LAST_OF = `COALESCE(${ownerText('t')}, ${ownerText('n')})`;

/** Issued invoices (`t`), each with the number before it, and the last of an account with its counter (`n`). */
export const invoiceNumberScan: Scan = {
  from: (s) => `(SELECT id, account_id, livemode, number,
        COALESCE(lag(number) OVER ${IN_ORDER}, 0) AS number_before,
        CASE WHEN lead(number) OVER ${IN_ORDER} IS NULL THEN account_id END AS last_of
      FROM ${readAll(s, 'invoices')} v WHERE number IS NOT NULL) t
    FULL JOIN ${s}.invoice_numbers n ON (n.account_id, n.livemode) = (t.last_of, t.livemode)`,
  rules: [
    {
      rule: 'The invoices of an account and environment are numbered without gaps.',
      broken: 't.number <> t.number_before + 1',
      subject: 't.id',
      expected: 't.number_before + 1',
      found: 't.number',
    },
    {
      rule: 'The last number of an account and environment is that of its last invoice.',
      broken: '(t.last_of IS NOT NULL OR t.id IS NULL) AND n.last IS DISTINCT FROM t.number',
      subject: LAST_OF,
      expected: `COALESCE(t.number::text, 'none')`,
      found: `COALESCE(n.last::text, 'none')`,
    },
  ],
};

/** Charges that pay invoices or may still do so (`c`), which an index lists, with their invoices (`v`). */
export const invoiceChargeScan: Scan = {
  from: (s) => `${s}.charges c
    LEFT JOIN ${s}.invoices v
      ON (v.account_id, v.livemode, v.id) = (c.account_id, c.livemode, c.invoice_id)`,
  rules: [
    {
      rule: 'The charge of an invoice is of its amount, customer and currency.',
      broken: `c.invoice_id IS NOT NULL AND c.status IN ('pending', 'authorized', 'succeeded')
        AND (c.amount, c.customer_id, c.currency)
          IS DISTINCT FROM (v.amount_due, v.customer_id, v.currency)`,
      subject: 'c.id',
      expected: `COALESCE(v.amount_due || ' ' || v.currency || ' of ' || v.customer_id, 'an invoice')`,
      found: `c.amount || ' ' || c.currency || ' of ' || COALESCE(c.customer_id, 'nobody')`,
    },
  ],
};

/** Invoice items (`i`), each with the lines that name it (`l`). The lines of a deleted draft do not count. */
export const invoiceItemScan: Scan = {
  from: (s) => `(SELECT v.account_id, v.livemode, line ->> 'invoiceItemId' AS item_id,
        count(*) AS lines, min(v.id) AS invoice_id, min((line ->> 'amount')::bigint) AS amount
      FROM ${readAll(s, 'invoices')} v CROSS JOIN LATERAL jsonb_array_elements(v.lines) line
      WHERE v.status <> 'deleted' AND line ->> 'invoiceItemId' IS NOT NULL
      GROUP BY v.account_id, v.livemode, line ->> 'invoiceItemId') l
    FULL JOIN (SELECT account_id, livemode, id, invoice_id, amount
      FROM ${s}.invoice_items WHERE deleted_at IS NULL) i
      ON (i.account_id, i.livemode, i.id) = (l.account_id, l.livemode, l.item_id)`,
  rules: [
    {
      rule: 'An invoice item has one line of the invoice that it is on, and of no other.',
      broken: `(i.invoice_id IS NOT NULL OR l.item_id IS NOT NULL)
        AND (l.lines = 1 AND l.invoice_id = i.invoice_id) IS NOT TRUE`,
      subject: 'COALESCE(i.id, l.item_id)',
      expected: `COALESCE('one line of ' || i.invoice_id, 'no line')`,
      found: `COALESCE(l.lines || ' of ' || l.invoice_id, 'none')`,
    },
    {
      rule: 'A line has the amount of its invoice item.',
      broken: 'l.lines = 1 AND l.amount <> i.amount',
      subject: 'i.id',
      expected: 'i.amount',
      found: 'l.amount',
    },
  ],
};
