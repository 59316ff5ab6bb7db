import { mayBePurged, purgedEvents } from './purged-events.ts';
import { type Rule, readAll, type Scan, textList } from './rule.ts';

/** A worker tries again within an hour whatever it could not do. */
const SLACK = "interval '1 hour'";

/**
 * Subscriptions (`u`), with what is still to be collected for them (`i`), and whether the charge that they
 * wait for (`x`) has an outcome.
 */
export const subscriptionScan: Scan = {
  from: (s, now) => `${readAll(s, 'subscriptions')} u
    LEFT JOIN (SELECT account_id, livemode, subscription_id, min(id) AS first FROM ${s}.invoices
      WHERE status IN ('draft', 'open') AND next_action_at IS NOT NULL AND NOT is_abandoned
      GROUP BY account_id, livemode, subscription_id) i
      ON (i.account_id, i.livemode, i.subscription_id) = (u.account_id, u.livemode, u.id)
    LEFT JOIN (SELECT account_id, livemode, invoice_id FROM ${s}.charges
      WHERE invoice_id IS NOT NULL AND status = 'pending') x
      ON (x.account_id, x.livemode, x.invoice_id) = (u.account_id, u.livemode, u.charging_invoice_id)
    CROSS JOIN (SELECT ${now} AS now) t`,
  rules: [
    {
      rule: 'A subscription that is not over is looked at again, unless the outcome of a charge is not known.',
      broken: `u.status IN ('incomplete', 'trialing', 'active', 'past_due')
        AND (u.next_action_at IS NULL) <> (u.charging_invoice_id IS NOT NULL)`,
      subject: 'u.id',
      expected: `CASE WHEN u.charging_invoice_id IS NULL THEN 'a time' ELSE 'none' END`,
      found: `COALESCE(u.next_action_at::text, 'none')`,
    },
    {
      rule: 'A subscription is looked at when its period ends.',
      broken: `u.status IN ('trialing', 'active') AND u.test_clock_id IS NULL
        AND u.next_action_at > GREATEST((u.period ->> 'end')::timestamptz, t.now) + ${SLACK}`,
      subject: 'u.id',
      expected: `u.period ->> 'end'`,
      found: 'u.next_action_at',
    },
    {
      rule: 'Nothing is collected for a subscription that is over.',
      broken: `u.status IN ('canceled', 'incomplete_expired') AND i.first IS NOT NULL`,
      subject: 'u.id',
      expected: `'none'`,
      found: 'i.first',
    },
    {
      rule: 'A subscription waits only for a charge whose outcome is not known.',
      broken: 'u.charging_invoice_id IS NOT NULL AND x.invoice_id IS NULL',
      subject: 'u.id',
      expected: `'a pending charge of ' || u.charging_invoice_id`,
      found: `'none'`,
    },
  ],
};

const OF_ONE = '(PARTITION BY account_id, livemode, subscription_id ORDER BY index)';

/**
 * Periods (`p`), each with the one before it, and the last one with its subscription (`u`); and their
 * invoices (`i`) with how many invoices are for the same period.
 */
export const billingPeriodScan: Scan = {
  from: (s) => `(SELECT *, COALESCE(lag(index) OVER ${OF_ONE}, -1) AS index_before,
        lag(ends_at) OVER ${OF_ONE} AS end_before,
        CASE WHEN lead(index) OVER ${OF_ONE} IS NULL THEN subscription_id END AS last_of
      FROM ${readAll(s, 'billing_periods', 'subscription_id || index')} m) p
    FULL JOIN ${s}.subscriptions u
      ON (u.account_id, u.livemode, u.id) = (p.account_id, p.livemode, p.last_of)
    LEFT JOIN ${s}.invoices i
      ON (i.account_id, i.livemode, i.id) = (p.account_id, p.livemode, p.invoice_id)
    LEFT JOIN (SELECT account_id, livemode, subscription_id, period_index, count(*) AS count
      FROM ${s}.invoices WHERE subscription_id IS NOT NULL AND period_index IS NOT NULL
      GROUP BY account_id, livemode, subscription_id, period_index) n
      ON (n.account_id, n.livemode, n.subscription_id, n.period_index)
        = (p.account_id, p.livemode, p.subscription_id, p.index)`,
  rules: [
    {
      rule: 'The periods of a subscription are numbered from 0 without gaps.',
      broken: 'p.index <> p.index_before + 1',
      subject: 'p.subscription_id',
      expected: 'p.index_before + 1',
      found: 'p.index',
    },
    {
      rule: 'A period of a subscription begins where the one before ends.',
      broken: 'p.starts_at <> p.end_before',
      subject: `p.subscription_id || ' ' || p.index`,
      expected: 'p.end_before',
      found: 'p.starts_at',
    },
    {
      rule: 'A subscription is in the last of its periods.',
      broken: `u.id IS NOT NULL AND (p.index IS DISTINCT FROM (u.period ->> 'index')::integer
        OR p.starts_at <> (u.period ->> 'start')::timestamptz
        OR p.ends_at <> (u.period ->> 'end')::timestamptz)`,
      subject: 'u.id',
      expected: `COALESCE(p.index || ' ' || p.starts_at || ' ' || p.ends_at, 'none')`,
      found: `u.period ->> 'index' || ' ' || (u.period ->> 'start') || ' ' || (u.period ->> 'end')`,
    },
    {
      // The first invoice of a subscription that began in the past bills the time before its period too.
      rule: 'The invoice of a period is of its subscription and for this period.',
      broken: `p.invoice_id IS NOT NULL AND (i.id IS NULL
        OR i.subscription_id IS DISTINCT FROM p.subscription_id
        OR i.period_index IS DISTINCT FROM p.index
          AND (p.index = 0 AND i.period_index = 1 AND i.billing_reason = 'subscription_create') IS NOT TRUE)`,
      subject: `p.subscription_id || ' ' || p.index`,
      expected: 'p.invoice_id',
      found: `COALESCE(i.subscription_id || ' ' || i.period_index, 'none')`,
    },
    {
      rule: 'A period of a subscription has at most one invoice.',
      broken: 'n.count > 1',
      subject: `p.subscription_id || ' ' || p.index`,
      expected: `'at most 1'`,
      found: 'n.count',
    },
  ],
};

const TYPES = [
  'subscription.created',
  'subscription.renewed',
  'subscription.payment_failed',
  'subscription.recovered',
  'subscription.canceled',
];
const INDEX = "(u.period ->> 'index')::integer";
const count = (name: string): string => `COALESCE(e."subscription.${name}", 0)`;

/** Subscriptions (`u`) with how many events of each type they have (`e`). */
export const subscriptionEventScan: Scan = {
  from: (s) => `(SELECT account_id, livemode, object_id, max(object_version) AS version,
        ${TYPES.map((type) => `count(*) FILTER (WHERE type = '${type}') AS "${type}"`).join(', ')},
        min(type) FILTER (WHERE type NOT IN (${textList(TYPES)})) AS unknown,
        min(id) FILTER (WHERE body IS NOT NULL AND (NOT starts_with(body, '{"id":"' || id || '"')
          OR strpos(body, '"type":"' || type || '"') = 0
          OR strpos(body, '"id":"' || object_id || '"') = 0)) AS misshapen
      FROM ${readAll(s, 'events')} v WHERE object_version > 0 AND type LIKE 'subscription.%'
      GROUP BY account_id, livemode, object_id) e
    FULL JOIN ${s}.subscriptions u
      ON (u.account_id, u.livemode, u.id) = (e.account_id, e.livemode, e.object_id)
    LEFT JOIN ${purgedEvents(s)} g ON true`,
  rules: [
    {
      rule: 'An event is about a subscription of its account and environment.',
      broken: 'u.id IS NULL',
      subject: 'e.object_id',
      expected: `'a subscription'`,
      found: `'none'`,
    },
    {
      rule: 'An event of a subscription is of a type that subscriptions have.',
      broken: 'e.unknown IS NOT NULL',
      subject: 'e.object_id',
      expected: `'a type of the catalogue'`,
      found: 'e.unknown',
    },
    {
      rule: 'An event says its id and type, and shows its subscription.',
      broken: 'e.misshapen IS NOT NULL',
      subject: 'e.misshapen',
      expected: 'e.object_id',
      found: `'another'`,
    },
    {
      rule: 'An event is of no later version than its subscription.',
      broken: 'e.version > u.version',
      subject: 'e.object_id',
      expected: `'at most ' || u.version`,
      found: 'e.version',
    },
    exactly('created', {
      rule: 'A subscription that has begun has one subscription.created event, and no other has any.',
      expected: `(u.status NOT IN ('incomplete', 'incomplete_expired'))::integer`,
    }),
    exactly('canceled', {
      rule: 'A canceled subscription has one subscription.canceled event, and no other has any.',
      expected: `(u.status = 'canceled')::integer`,
    }),
    {
      // In the first one, which has `created`, a debit may return, or the payment of a change may fail.
      rule: 'A period was renewed or its payment failed at most once, and the first was not renewed.',
      broken: `${count('renewed')} > ${INDEX}
        OR ${count('renewed')} + ${count('payment_failed')} > ${INDEX} + 1`,
      subject: 'u.id',
      expected: `'at most ' || ${INDEX} || ', and ' || (${INDEX} + 1) || ' with failures'`,
      found: `${count('renewed')} || ', and ' || (${count('renewed')} + ${count('payment_failed')})
        || ' with failures'`,
    },
    {
      rule: 'A subscription recovers only from a payment that failed.',
      broken: `${count('recovered')} > ${count('payment_failed')} AND NOT ${mayBePurged('u', 'g')}`,
      subject: 'u.id',
      expected: `'at most ' || ${count('payment_failed')}`,
      found: count('recovered'),
    },
  ],
};

function exactly(
  type: string,
  { rule, expected }: { readonly rule: string; readonly expected: string },
): Rule {
  const found = count(type);
  return {
    rule,
    broken: `u.id IS NOT NULL AND ${found} <> ${expected}
      AND NOT (${found} < ${expected} AND ${mayBePurged('u', 'g')})`,
    subject: 'u.id',
    expected,
    found,
  };
}
