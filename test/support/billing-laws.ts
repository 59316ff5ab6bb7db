import { query } from './database.ts';

/** One law of billing: a query that finds what breaks it, as `subject` and `found`. */
interface Law {
  readonly law: string;
  readonly sql: string;
}

const GIVEN_BACK = `(SELECT coalesce(sum(r.amount), 0) FROM paymount.refunds r
  WHERE (r.account_id, r.livemode, r.charge_id) = (c.account_id, c.livemode, c.id)
    AND r.status NOT IN ('failed', 'canceled'))`;

const LAWS: readonly Law[] = [
  {
    law: 'Periods have no gap, and each begins where the one before ends.',
    sql: `SELECT subscription_id AS subject, 'index ' || index || ' from ' || starts_at AS found FROM (
        SELECT *, row_number() OVER w - 1 AS place, lag(ends_at) OVER w AS before
        FROM paymount.billing_periods
        WINDOW w AS (PARTITION BY account_id, livemode, subscription_id ORDER BY index)) p
      WHERE index <> place OR before <> starts_at`,
  },
  {
    law: 'No period is billed before it begins.',
    sql: `SELECT p.subscription_id AS subject, i.id || ' from ' || i.created AS found
      FROM paymount.billing_periods p JOIN paymount.invoices i
        ON (i.account_id, i.livemode, i.subscription_id, i.period_index)
          = (p.account_id, p.livemode, p.subscription_id, p.index)
      WHERE i.created < p.starts_at`,
  },
  {
    law: 'A period has one invoice, if it was billed.',
    sql: `SELECT p.subscription_id AS subject, count(i.id) || ' for index ' || p.index AS found
      FROM paymount.billing_periods p LEFT JOIN paymount.invoices i
        ON (i.account_id, i.livemode, i.subscription_id, i.period_index)
          = (p.account_id, p.livemode, p.subscription_id, p.index)
      GROUP BY p.account_id, p.livemode, p.subscription_id, p.index, p.is_billed
      HAVING count(i.id) > 1 OR count(i.id) < p.is_billed::integer`,
  },
  {
    law: 'A paid invoice has one charge of its amount, unless nothing was due or it says out of band.',
    sql: `SELECT i.id AS subject, count(c.id) || ' charges of ' || coalesce(sum(c.amount), 0) AS found
      FROM paymount.invoices i LEFT JOIN paymount.charges c
        ON (c.account_id, c.livemode, c.invoice_id) = (i.account_id, i.livemode, i.id)
          AND c.status IN ('succeeded', 'pending')
      WHERE i.status = 'paid' GROUP BY i.account_id, i.livemode, i.id
      HAVING count(c.id) <> CASE WHEN i.amount_due = 0 OR i.paid_out_of_band THEN 0 ELSE 1 END
        OR coalesce(sum(c.amount), 0) <> CASE WHEN i.paid_out_of_band THEN 0 ELSE i.amount_due END`,
  },
  {
    law: 'Money that was taken for an invoice is for a paid one.',
    sql: `SELECT i.id AS subject, i.status || ', charge ' || c.id AS found FROM paymount.charges c
      JOIN paymount.invoices i
        ON (c.account_id, c.livemode, c.invoice_id) = (i.account_id, i.livemode, i.id)
      WHERE c.status = 'succeeded' AND i.status <> 'paid'`,
  },
  {
    law: 'What was paid for a subscription after its end is given back in full.',
    sql: `SELECT i.id AS subject, ${GIVEN_BACK} || ' of ' || c.amount AS found FROM paymount.charges c
      JOIN paymount.invoices i
        ON (c.account_id, c.livemode, c.invoice_id) = (i.account_id, i.livemode, i.id)
      WHERE c.status = 'succeeded' AND i.is_abandoned AND ${GIVEN_BACK} <> c.amount`,
  },
  {
    law: 'Of a subscription that is over, no invoice is open.',
    sql: `SELECT i.id AS subject, 'charge ' || coalesce(i.charge_id, 'none') AS found
      FROM paymount.invoices i JOIN paymount.subscriptions u
        ON (u.account_id, u.livemode, u.id) = (i.account_id, i.livemode, i.subscription_id)
      WHERE u.status IN ('canceled', 'incomplete_expired') AND i.status = 'open'`,
  },
  {
    law: 'A subscription waits only for a charge whose outcome is not known.',
    sql: `SELECT u.id AS subject, 'invoice ' || u.charging_invoice_id AS found
      FROM paymount.subscriptions u WHERE u.charging_invoice_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM paymount.charges c WHERE (c.account_id, c.livemode, c.invoice_id)
          = (u.account_id, u.livemode, u.charging_invoice_id) AND c.status = 'pending')`,
  },
  {
    law: 'A subscription is created once, canceled once, and renewed or unpaid at most once a period.',
    sql: `SELECT object_id AS subject, type || ' ' || count(*) AS found FROM paymount.events e
      WHERE type IN ('subscription.created', 'subscription.canceled')
      GROUP BY object_id, type HAVING count(*) > 1
      UNION ALL
      SELECT object_id, count(*) || ' announcements' FROM paymount.events e
      WHERE type IN ('subscription.renewed', 'subscription.payment_failed') GROUP BY object_id
      HAVING count(*) > (SELECT count(*) - 1 FROM paymount.billing_periods p
        WHERE p.subscription_id = e.object_id)`,
  },
  {
    law: 'What is canceled said so, and nothing else did.',
    sql: `SELECT u.id AS subject, u.status AS found FROM paymount.subscriptions u
      WHERE (u.status = 'canceled') <> EXISTS (SELECT FROM paymount.events e
        WHERE e.object_id = u.id AND e.type = 'subscription.canceled')`,
  },
  {
    law: 'Numbers of invoices have no gap.',
    sql: `SELECT n.account_id AS subject, count(i.id) || ' numbers, the last ' || n.last AS found
      FROM paymount.invoice_numbers n LEFT JOIN paymount.invoices i
        ON (i.account_id, i.livemode) = (n.account_id, n.livemode) AND i.number IS NOT NULL
      GROUP BY n.account_id, n.livemode, n.last HAVING count(i.id) <> n.last OR max(i.number) <> n.last`,
  },
];

/** What is due by `now`, although nothing is left to do. */
const LEFT_DUE = `SELECT id AS subject, next_action_at::text AS found FROM paymount.subscriptions
    WHERE next_action_at <= $1 AND test_clock_id IS NULL
  UNION ALL SELECT id, next_action_at::text FROM paymount.invoices
    WHERE next_action_at <= $1 AND test_clock_id IS NULL`;

interface Broken {
  readonly subject: string;
  readonly found: string;
}

/**
 * What breaks the laws of billing in a database at rest, as sentences.
 * @param now also finds what is due by then; absent: something may still be due
 */
export async function billingLaws(databaseUrl: string, now?: Date): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { law, sql } of LAWS) {
    for (const row of await query<Broken>(databaseUrl, sql)) {
      found.push(`${law} ${row.subject}: ${row.found}.`);
    }
  }
  if (now === undefined) return found;
  for (const row of await query<Broken>(databaseUrl, LEFT_DUE, [now])) {
    found.push(`Nothing is left to do. ${row.subject}: due ${row.found}.`);
  }
  return found;
}
