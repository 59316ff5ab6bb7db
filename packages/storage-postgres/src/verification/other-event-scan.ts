import { mayBePurged, purgedEvents } from './purged-events.ts';
import { type Rule, readAll, type Scan, textList } from './rule.ts';

/** Of objects other than charges. */
const TYPES = [
  'dispute.alert',
  'dispute.created',
  'dispute.won',
  'dispute.lost',
  'payout.paid',
  'payout.failed',
];

/** Triggered test events have versions below zero. Those of subscriptions show no amount. */
const RECORDED =
  "object_version > 0 AND type NOT LIKE 'charge.%' AND type NOT LIKE 'subscription.%'";

/** The first amount in the body, which is that of the object; those of its balance transactions follow. */
const AMOUNT = `substring(body FROM '"amount":(\\d+)')::numeric`;

/**
 * Events of payouts (`p`) and disputes (`d`), in one row for each object (`e`): counts, the first and the last
 * type, and what follows what. Two events of one version are of one change, in the order of their names.
 */
export const otherEventScan: Scan = {
  parts: (s) => ({
    recorded: `SELECT account_id, livemode, object_id, type, object_version, id, ${AMOUNT} AS shown,
        body IS NOT NULL AND (NOT starts_with(body, '{"id":"' || id || '"')
          OR strpos(body, '"type":"' || type || '"') = 0
          OR strpos(body, '"id":"' || object_id || '"') = 0 OR ${AMOUNT} IS NULL) AS misshapen,
        lag(type) OVER earlier AS previous, lead(type) OVER earlier AS next
      FROM ${readAll(s, 'events')} e WHERE ${RECORDED}
      WINDOW earlier AS (PARTITION BY account_id, livemode, object_id ORDER BY object_version, type)`,
  }),
  from: (s) => `(SELECT account_id, livemode, object_id, max(object_version) AS version,
        ${TYPES.map((type) => `count(*) FILTER (WHERE type = '${type}') AS "${type}"`).join(', ')},
        bool_or(type LIKE 'dispute.%') AS of_dispute, bool_or(type LIKE 'payout.%') AS of_payout,
        min(type) FILTER (WHERE previous IS NULL) AS first,
        min(type) FILTER (WHERE next IS NULL) AS last,
        bool_or(type = previous AND type <> 'dispute.created'
          OR type = 'dispute.alert' AND previous IS NOT NULL) AS repeated,
        count(*) FILTER (WHERE (previous, type) IN (('dispute.won', 'dispute.created'),
          ('dispute.won', 'dispute.lost'), ('dispute.created', 'dispute.created'))) AS rounds,
        min(type) FILTER (WHERE type NOT IN (${textList(TYPES)})) AS unknown,
        min(id) FILTER (WHERE misshapen) AS misshapen,
        min(shown) FILTER (WHERE type <> 'dispute.alert') AS least,
        max(shown) FILTER (WHERE type <> 'dispute.alert') AS most,
        max(shown) FILTER (WHERE type = 'dispute.alert') AS alert_of
      FROM recorded GROUP BY account_id, livemode, object_id) e
    FULL JOIN ${s}.payouts p
      ON (p.account_id, p.livemode, p.id) = (e.account_id, e.livemode, e.object_id)
    FULL JOIN ${s}.disputes d
      ON (d.account_id, d.livemode, d.id) = (e.account_id, e.livemode, e.object_id)
    LEFT JOIN (SELECT source_id FROM ${s}.ledger_transaction WHERE kind = 'payout_paid') h
      ON h.source_id = p.id
    LEFT JOIN ${purgedEvents(s)} g ON true`,
  rules: [...bodyRules(), ...payoutRules(), ...disputeRules()],
};

function bodyRules(): readonly Rule[] {
  return [
    {
      rule: 'An event is of a type that Paymount records.',
      broken: 'e.unknown IS NOT NULL',
      subject: 'e.object_id',
      expected: `'a type of the catalogue'`,
      found: 'e.unknown',
    },
    {
      rule: 'An event is about a payout of its account and environment.',
      broken: 'e.of_payout AND p.id IS NULL',
      subject: 'e.object_id',
      expected: `'a payout'`,
      found: `'none'`,
    },
    {
      rule: 'An event is about a dispute of its account and environment.',
      broken: 'e.of_dispute AND d.id IS NULL',
      subject: 'e.object_id',
      expected: `'a dispute'`,
      found: `'none'`,
    },
    {
      rule: 'An event says its id and type, and shows its payout or dispute.',
      broken: 'e.misshapen IS NOT NULL',
      subject: 'e.misshapen',
      expected: 'e.object_id',
      found: `'another'`,
    },
    {
      // The amount of an alert may be another one than that of the chargeback which continues it.
      rule: 'An event shows the amount of its payout or dispute.',
      broken: `e.least <> COALESCE(p.amount, d.amount) OR e.most <> COALESCE(p.amount, d.amount)
        OR d.debit_id IS NULL AND e.alert_of <> d.amount`,
      subject: 'e.object_id',
      expected: 'COALESCE(p.amount, d.amount)',
      found: `CASE WHEN e.least <> COALESCE(p.amount, d.amount) THEN e.least
        ELSE COALESCE(e.most, e.alert_of) END`,
    },
    {
      rule: 'An event is of no later version than its payout or dispute.',
      broken: 'e.version > COALESCE(p.version, d.version)',
      subject: 'e.object_id',
      expected: `'at most ' || COALESCE(p.version, d.version)`,
      found: 'e.version',
    },
  ];
}

function payoutRules(): readonly Rule[] {
  return [
    counted('p', {
      rule: 'A payout that was handed to the bank has one payout.paid event, and no other has any.',
      type: 'payout.paid',
      expected: '(h.source_id IS NOT NULL)::integer',
    }),
    counted('p', {
      rule: 'A failed payout has one payout.failed event, and no other has any.',
      type: 'payout.failed',
      expected: "(p.status = 'failed')::integer",
    }),
  ];
}

/**
 * A dispute is opened again and ruled again any number of times, so that not all events can be counted. Old
 * events are deleted in any order, since one that a delivery needs stays: then the order is not checked.
 */
function disputeRules(): readonly Rule[] {
  const last = `CASE WHEN d.debit_id IS NULL THEN 'dispute.alert' WHEN d.status = 'won' THEN 'dispute.won'
    WHEN d.status = 'lost' THEN 'dispute.lost' ELSE 'dispute.created' END`;
  return [
    counted('d', {
      rule: 'A dispute that began as an alert has one dispute.alert event, and no other has more.',
      type: 'dispute.alert',
      // Chargebacks of the first versions do not say whether they were alerts before.
      expected: `CASE WHEN d.debit_id IS NULL OR d.alert_reference IS NOT NULL THEN 1
        ELSE LEAST(1, COALESCE(e."dispute.alert", 0)) END`,
    }),
    counted('d', {
      rule: 'A chargeback has a dispute.created event, and an alert has none.',
      type: 'dispute.created',
      expected: `CASE WHEN d.debit_id IS NULL THEN 0
        ELSE GREATEST(1, COALESCE(e."dispute.created", 0)) END`,
    }),
    {
      rule: 'The events of a dispute begin with its alert or its chargeback.',
      broken: `d.id IS NOT NULL AND e.first NOT IN ('dispute.alert', 'dispute.created')
        AND NOT ${mayBePurged('d', 'g')}`,
      subject: 'd.id',
      expected: `'dispute.alert or dispute.created'`,
      found: 'e.first',
    },
    {
      rule: 'The last event of a dispute says how the dispute stands.',
      broken: `d.id IS NOT NULL AND e.last IS DISTINCT FROM ${last} AND NOT ${mayBePurged('d', 'g')}`,
      subject: 'd.id',
      expected: last,
      found: `COALESCE(e.last, 'none')`,
    },
    counted('d', {
      rule: 'A dispute has one dispute.won event for each time that its amount came back.',
      type: 'dispute.won',
      expected: `COALESCE(jsonb_array_length(d.earlier_bookings), 0)
        + COALESCE((d.status = 'won')::integer, 0)`,
    }),
    {
      rule: 'A dispute is an alert once, and is not lost or won twice in a row.',
      broken: `d.id IS NOT NULL AND e.repeated AND NOT ${mayBePurged('d', 'g')}`,
      subject: 'd.id',
      expected: `'each once'`,
      found: `'one twice'`,
    },
    {
      rule: 'A dispute that was opened again, or lost what it had won, is in a later round.',
      broken: `e.rounds > d.round - 1 AND NOT ${mayBePurged('d', 'g')}`,
      subject: 'd.id',
      expected: `'round ' || e.rounds + 1 || ' or later'`,
      found: `'round ' || d.round`,
    },
  ];
}

/** @param row `p` or `d`: the object of the event */
function counted(
  row: 'p' | 'd',
  {
    rule,
    type,
    expected,
  }: { readonly rule: string; readonly type: string; readonly expected: string },
): Rule {
  const found = `COALESCE(e."${type}", 0)`;
  return {
    rule,
    broken: `${row}.id IS NOT NULL AND ${found} <> ${expected}
      AND NOT (${found} < ${expected} AND ${mayBePurged(row, 'g')})`,
    subject: `${row}.id`,
    expected,
    found,
  };
}
