import { DispatchHub } from '@paymount/core/events';
import { createPostgresStorage } from '@paymount/storage-postgres';
import { withClient } from './database.ts';

interface Rule {
  readonly sentence: string;
  /** Selects a text for each row that breaks it. */
  readonly sql: string;
}

/** Holds at every moment, whatever died. */
const ALWAYS: readonly Rule[] = [
  {
    sentence: 'A processor executed what no committed operation asked for',
    sql: `SELECT s.operation_id FROM paymount.sandbox_operations s
      WHERE NOT EXISTS (SELECT FROM paymount.operations o WHERE o.id = s.operation_id)`,
  },
  {
    sentence: 'A processor executed one thing twice',
    sql: `SELECT o.kind || ' ' || o.subject_id FROM paymount.operations o
      JOIN paymount.sandbox_operations s ON s.operation_id = o.id
      GROUP BY o.kind, o.subject_id HAVING count(*) > 1`,
  },
  {
    sentence: 'A charge was both captured and canceled',
    sql: `SELECT o.charge_id FROM paymount.operations o
      JOIN paymount.sandbox_operations s ON s.operation_id = o.id
      WHERE o.kind IN ('capture', 'cancel') GROUP BY o.charge_id HAVING count(*) > 1`,
  },
  {
    sentence: 'More was refunded than captured',
    sql: `SELECT c.id FROM paymount.charges c JOIN paymount.refunds r ON r.charge_id = c.id
      WHERE r.status IN ('pending', 'succeeded') AND c.status = 'succeeded'
      GROUP BY c.id, c.amount_captured HAVING sum(r.amount) > c.amount_captured`,
  },
  {
    sentence: 'A captured or failed charge has not exactly one event of it',
    sql: `SELECT c.id || ' ' || c.status FROM paymount.charges c LEFT JOIN paymount.events e
      ON e.object_id = c.id AND e.type IN ('charge.succeeded', 'charge.captured', 'charge.failed')
      WHERE c.status IN ('succeeded', 'failed')
      GROUP BY c.id, c.status HAVING count(e.id) <> 1`,
  },
  {
    sentence: 'An event has no delivery to an endpoint that wants it and is older',
    sql: `SELECT e.id FROM paymount.events e JOIN paymount.webhook_endpoints w
      ON (w.account_id, w.livemode) = (e.account_id, e.livemode) AND w.created < e.created
      AND w.enabled_events && ARRAY[e.type, split_part(e.type, '.', 1) || '.*', '*']
      WHERE NOT EXISTS (SELECT FROM paymount.deliveries d
        WHERE d.event_id = e.id AND d.endpoint_id = w.id)`,
  },
];

/** Holds once everything has recovered. */
const AT_REST: readonly Rule[] = [
  {
    sentence: 'An operation is unresolved',
    sql: `SELECT id || ' ' || kind || ' ' || state FROM paymount.operations
      WHERE state NOT IN ('done', 'failed')`,
  },
  {
    sentence: 'A charge was left without an outcome',
    sql: `SELECT id FROM paymount.charges WHERE status = 'pending'`,
  },
  {
    sentence: 'An idempotency key is still running',
    sql: `SELECT key FROM paymount.idempotency_keys WHERE status IS NULL`,
  },
  {
    sentence: 'A delivery is not finished',
    sql: `SELECT id || ' ' || state || ' attempt ' || attempt FROM paymount.deliveries
      WHERE state <> 'succeeded'`,
  },
  {
    sentence: 'A replay did not send each event to each endpoint',
    sql: `SELECT r.id || ' ' || r.status || ' ' || r.created_count || ' of ' || r.matched
      FROM paymount.replays r WHERE r.status <> 'completed' OR r.created_count <> r.matched
        OR r.matched <> (SELECT count(*) FROM paymount.deliveries d WHERE d.replay_id = r.id)`,
  },
];

/**
 * Reads the whole database and says what is wrong with it: lost or doubled money, states that
 * contradict each other, a ledger that does not agree with itself.
 * @param when 'at rest' also demands that nothing is left to do
 * @returns sentences that name the rows; empty is good
 */
export async function verifyDatabase(
  databaseUrl: string,
  when: 'under way' | 'at rest',
): Promise<readonly string[]> {
  const findings: string[] = [];
  await withClient(databaseUrl, async (client) => {
    for (const { sentence, sql } of when === 'at rest' ? [...ALWAYS, ...AT_REST] : ALWAYS) {
      const { rows } = await client.query<string[]>({ text: sql, rowMode: 'array' });
      for (const [subject] of rows) findings.push(`${sentence}: ${subject}`);
    }
  });
  return [...findings, ...(await runVerify(databaseUrl))];
}

/** What `paymount verify` says. */
async function runVerify(databaseUrl: string): Promise<readonly string[]> {
  const storage = createPostgresStorage({ connection: databaseUrl, dispatch: new DispatchHub() });
  try {
    return (await storage.verify()).map(
      ({ rule, subject, expected, found }) =>
        `${rule} ${subject}: expected ${expected}, found ${found}`,
    );
  } finally {
    await storage.close();
  }
}
