import { mayBePurged, purgedEvents } from './purged-events.ts';
import { returnedRefunds } from './returned-refunds.ts';
import { type Rule, readAll, type Scan, textList } from './rule.ts';

const TYPES = [
  'charge.pending',
  'charge.succeeded',
  'charge.captured',
  'charge.failed',
  'charge.refunded',
];
/** Triggered test events have versions below zero. */
const RECORDED = "e.object_version > 0 AND e.type LIKE 'charge.%'";

/**
 * Whether a bank debit was submitted: it cleared, awaits that, or its bank returned it. One that the
 * processor refused later may have been submitted or not.
 */
const SUBMITTED = `CASE WHEN c.us_bank_account IS NULL THEN 0
  WHEN c.status = 'succeeded' OR c.outcome ->> 'type' = 'authorized'
    OR c.failure ->> 'declineCode' ~ '^R[0-9][0-9]$' THEN 1
  WHEN c.status = 'failed' THEN LEAST(1, COALESCE(e."charge.pending", 0)) ELSE 0 END`;

/** How many events of each type a charge (`c`) has (`e`), and how many refunds succeeded (`r`). */
export const eventCountScan: Scan = {
  from: (s) => `(SELECT account_id, livemode, object_id,
        ${TYPES.map((type) => `count(*) FILTER (WHERE type = '${type}') AS "${type}"`).join(', ')},
        min(type) FILTER (WHERE type NOT IN (${textList(TYPES)})) AS unknown,
        max(object_version) AS version
      FROM ${readAll(s, 'events')} e WHERE ${RECORDED} GROUP BY account_id, livemode, object_id) e
    FULL JOIN ${readAll(s, 'charges')} c
      ON (c.account_id, c.livemode, c.id) = (e.account_id, e.livemode, e.object_id)
    LEFT JOIN (SELECT charge_id, count(*) AS refunds FROM ${s}.refunds
      WHERE balance_transaction_id IS NOT NULL
        AND (status = 'succeeded' OR id IN (${returnedRefunds(s)})) GROUP BY charge_id) r
      ON r.charge_id = c.id
    LEFT JOIN ${purgedEvents(s)} p ON true`,
  rules: [
    {
      rule: 'An event is about a charge of its account and environment.',
      broken: 'c.id IS NULL',
      subject: 'e.object_id',
      expected: `'a charge'`,
      found: `'none'`,
    },
    {
      rule: 'An event of a charge is of a type that charges have.',
      broken: 'e.unknown IS NOT NULL',
      subject: 'e.object_id',
      expected: `'a type of the catalogue'`,
      found: 'e.unknown',
    },
    {
      rule: 'An event is of no later version than its charge.',
      broken: 'e.version > c.version',
      subject: 'c.id',
      expected: `'at most ' || c.version`,
      found: 'e.version',
    },
    once(
      'A charge that was captured at once has one charge.succeeded event, and no other has any.',
      'charge.succeeded',
      "(c.status = 'succeeded' AND c.capture_method = 'automatic')::integer",
    ),
    once(
      'A charge that was captured later has one charge.captured event, and no other has any.',
      'charge.captured',
      "(c.status = 'succeeded' AND c.capture_method <> 'automatic')::integer",
    ),
    once(
      'A bank debit that was submitted has one charge.pending event, and no other charge has any.',
      'charge.pending',
      SUBMITTED,
    ),
    once(
      'A failed charge has one charge.failed event, and no other has any.',
      'charge.failed',
      "(c.status = 'failed')::integer",
    ),
    once(
      'A charge has one charge.refunded event for each refund that succeeded, even if it was returned.',
      'charge.refunded',
      'COALESCE(r.refunds, 0)',
    ),
  ],
};

function once(rule: string, type: string, expected: string): Rule {
  const found = `COALESCE(e."${type}", 0)`;
  return {
    rule,
    broken: `c.id IS NOT NULL AND ${found} <> ${expected}
      AND NOT (${found} < ${expected} AND ${mayBePurged('c', 'p')})`,
    subject: 'c.id',
    expected,
    found,
  };
}

/**
 * Compares the bodies of events (`e`) with their charges (`c`) as text; parsing them as JSON takes
 * too long.
 */
export const eventBodyScan: Scan = {
  from: (s) => `(SELECT * FROM ${readAll(s, 'events')} e WHERE ${RECORDED}) e
    JOIN ${readAll(s, 'charges')} c
      ON (c.account_id, c.livemode, c.id) = (e.account_id, e.livemode, e.object_id)`,
  rules: [
    {
      rule: 'An event says its id and type, and shows its charge.',
      broken: `NOT starts_with(e.body, '{"id":"' || e.id || '"')
        OR strpos(e.body, '"type":"' || e.type || '"') = 0
        OR strpos(e.body, '"id":"' || e.object_id || '"') = 0`,
      subject: 'e.id',
      expected: `e.type || ' of ' || e.object_id`,
      found: `'another'`,
    },
    {
      rule: 'An event shows the amount of its charge.',
      broken: `strpos(e.body, '"amount":' || c.amount || ',') = 0`,
      subject: 'e.id',
      expected: 'c.amount',
      found: `COALESCE(substring(e.body FROM '"amount":(\\d+)'), 'none')`,
    },
  ],
};
