import { readAll, type Scan } from './rule.ts';

const OWNER = 'account_id, livemode';
const ITEM = `${OWNER}, item_id`;
/** Rounding: each line may be up to one minor unit off. */
const TOLERANCE = 'lines + 1';

/**
 * Items of subscriptions with a line for a part of a period, in an invoice or waiting for one; others have one
 * line for each period. Left out are those of which a caller may have changed or deleted what waited: its
 * amount is the merchant's own. What a process of the previous version wrote does not say that.
 */
const proratedItems = (s: string): string => `
  SELECT v.account_id, v.livemode, line ->> 'subscriptionItemId' AS item_id
    FROM ${readAll(s, 'invoices')} v CROSS JOIN LATERAL jsonb_array_elements(v.lines) line
    WHERE v.lines @> '[{"isProration": true}]' AND line ->> 'subscriptionItemId' IS NOT NULL
  UNION SELECT ${OWNER}, subscription_item_id FROM ${s}.invoice_items
    WHERE subscription_item_id IS NOT NULL
  EXCEPT SELECT ${OWNER}, subscription_item_id FROM ${s}.invoice_items
    WHERE is_edited OR is_edited IS NULL AND (deleted_at IS NOT NULL OR version > 2)`;

/**
 * Their lines that cost something and are neither void nor dropped, each with what a second costs. `is_asked`:
 * it asks for its time; what was given up as uncollectible does not. `is_taken`: it is on a paid invoice, so it counts
 * for what is given back. A debit that did not fit on an invoice waits for the next one, and may be given back before.
 */
const itemLines = (s: string): string => `
  SELECT l.account_id, l.livemode, l.item_id, l.subscription_id, l.period_index, l.starts, l.ends, l.amount,
    l.amount / extract(epoch FROM l.ends - l.starts)::float8 AS rate,
    l.amount < 0 OR NOT l.is_given_up AS is_asked,
    l.is_paid OR l.amount > 0 AND l.waited_at <= max(l.finalized_at)
      FILTER (WHERE l.is_paid AND l.amount < 0) OVER (PARTITION BY l.account_id, l.livemode, l.item_id) AS is_taken
  FROM (
    SELECT v.account_id, v.livemode, line ->> 'subscriptionItemId' AS item_id, v.subscription_id,
        CASE WHEN (line ->> 'amount')::bigint > 0 THEN v.period_index END AS period_index,
        (line #>> '{period,start}')::timestamptz AS starts, (line #>> '{period,end}')::timestamptz AS ends,
        (line ->> 'amount')::bigint AS amount, v.status = 'paid' AS is_paid, NULL::timestamptz AS waited_at,
        v.finalized_at, v.marked_uncollectible_at IS NOT NULL AS is_given_up
      FROM ${readAll(s, 'invoices')} v CROSS JOIN LATERAL jsonb_array_elements(v.lines) line
      WHERE v.status NOT IN ('void', 'deleted') AND line ->> 'subscriptionItemId' IS NOT NULL
        AND line ->> 'invoiceItemId' IS NULL
    UNION ALL
    SELECT i.account_id, i.livemode, i.subscription_item_id, i.subscription_id, NULL, i.period_start,
        i.period_end, i.amount, v.status IS NOT DISTINCT FROM 'paid', i.created, v.finalized_at,
        v.marked_uncollectible_at IS NOT NULL
      FROM ${s}.invoice_items i LEFT JOIN ${s}.invoices v
        ON (v.account_id, v.livemode, v.id) = (i.account_id, i.livemode, i.invoice_id)
      WHERE i.subscription_item_id IS NOT NULL AND i.deleted_at IS NULL
        AND v.status IS DISTINCT FROM 'void'
  ) l JOIN prorated_items p USING (${ITEM})
  WHERE l.amount <> 0 AND l.starts < l.ends`;

/**
 * The stretches of time of an item between the beginnings and ends of its lines: how many lines ask for it, less
 * those that give it back, and what a second of it cost less what was given back.
 */
const stretches = `
  SELECT ${ITEM}, at, lead(at) OVER w AS until, sum(asked) OVER w AS asked, sum(taken) OVER w AS taken,
    sum(lines) OVER (PARTITION BY ${ITEM}) AS lines
  FROM (SELECT ${ITEM}, at, sum(asked) AS asked, sum(taken) AS taken, sum(lines) AS lines FROM (
      SELECT ${ITEM}, starts AS at, CASE WHEN is_asked THEN sign(amount) ELSE 0 END AS asked,
        CASE WHEN is_taken THEN rate ELSE 0 END AS taken, 1 AS lines FROM item_lines
      UNION ALL
      SELECT ${ITEM}, ends, -CASE WHEN is_asked THEN sign(amount) ELSE 0 END,
        -CASE WHEN is_taken THEN rate ELSE 0 END, 0 FROM item_lines) e GROUP BY ${ITEM}, at) t
  WINDOW w AS (PARTITION BY ${ITEM} ORDER BY at)`;

/**
 * The lines of items of which more than one asks for the same time, each up to the end of its period: that of its
 * invoice, or for what a change cost or gave back that in which it begins.
 */
const cutLines = (s: string): string => `
  SELECT l.account_id, l.livemode, l.item_id, p.index, l.starts, least(l.ends, p.ends_at) AS ends, l.rate
  FROM (SELECT DISTINCT ${ITEM} FROM stretches WHERE asked > 1 AND until > at) c
  JOIN item_lines l USING (${ITEM})
  JOIN ${s}.billing_periods p ON (p.account_id, p.livemode, p.subscription_id)
    = (l.account_id, l.livemode, l.subscription_id)
    AND coalesce(p.index = l.period_index, p.starts_at <= l.starts AND l.starts < p.ends_at)
  WHERE l.is_asked`;

/**
 * What is asked at least for time of one period that another line asks for too. A credit of less than one minor unit is
 * not written, so the cheapest line must ask for more than rounding explains. A new period that began early without
 * prorations is another one, so the rest of the one before does not count as asked for twice.
 */
const doubled = `
  SELECT ${ITEM}, max(starts) AS at, sum(money) AS money FROM (
    SELECT c.account_id, c.livemode, c.item_id, max(t.at) AS starts, count(*) AS lines,
      (sum(sign(c.rate)) - 1) * min(c.rate) FILTER (WHERE c.rate > 0)
        * extract(epoch FROM t.until - t.at)::float8 AS money
    FROM (SELECT ${ITEM}, index, at, lead(at) OVER (PARTITION BY ${ITEM}, index ORDER BY at) AS until
      FROM (SELECT ${ITEM}, index, starts AS at FROM cut_lines
        UNION SELECT ${ITEM}, index, ends FROM cut_lines) b) t
    JOIN cut_lines c USING (${ITEM}, index)
    WHERE t.at < t.until AND c.starts <= t.at AND t.until <= c.ends
    GROUP BY c.account_id, c.livemode, c.item_id, c.index, t.at, t.until) o
  WHERE money > ${TOLERANCE} GROUP BY ${ITEM}`;

/** What paid invoices give back for time beyond what was billed for it. */
const unbilled = `
  SELECT ${ITEM}, min(at) AS at,
    -sum(taken * extract(epoch FROM until - at)::float8) AS money
  FROM stretches WHERE -taken * extract(epoch FROM until - at)::float8 > ${TOLERANCE} GROUP BY ${ITEM}`;

/**
 * Items of subscriptions with time that is asked for twice (`d`), or that gives back more than was billed for it
 * (`b`). Lines are compared second by second, so changes in any order and number add up, also within one second.
 */
export const billedTimeScan: Scan = {
  parts: (s) => ({
    prorated_items: proratedItems(s),
    item_lines: itemLines(s),
    stretches,
    cut_lines: cutLines(s),
    doubled,
    unbilled,
  }),
  from: () => `doubled d FULL JOIN unbilled b USING (${ITEM})`,
  rules: [
    {
      rule: 'No time of an item of a subscription is billed twice.',
      broken: 'd.money > 0',
      subject: 'item_id',
      expected: `'nothing more from ' || d.at`,
      found: 'round(d.money)',
    },
    {
      rule: 'No more is given back for an item of a subscription than was billed and paid.',
      broken: 'b.money > 0',
      subject: 'item_id',
      expected: `'at most what was billed from ' || b.at`,
      found: `round(b.money) || ' more'`,
    },
  ],
};
