import { setTimeout as wait } from 'node:timers/promises';
import type { LockedDelivery, LockHolder } from '@paymount/core/events';
import { isLockedOut } from '../connection/sql-errors.ts';
import { statement } from '../connection/statement.ts';
import { present } from '../shared/present-rows.ts';
import type { Session } from '../transaction/session.ts';
import { inTransaction } from '../transaction/transaction.ts';

/** So long a probe waits for the rows. Nothing else is done in its transaction. */
const PROBE_MS = 400;
/** The probe has begun to wait by then. */
const ASK_EVERY_MS = 50;

interface HolderRow {
  readonly pid: number;
  readonly application_name: string | null;
  readonly state: string | null;
  readonly open_ms: number | null;
}

const lockEndpoint = statement(
  'pm_locks_endpoint_v1',
  (s) => `SELECT FROM ${s}.webhook_endpoints WHERE id = $1 FOR NO KEY UPDATE`,
);
const lockDelivery = statement(
  'pm_locks_delivery_v1',
  (s) => `SELECT FROM ${s}.deliveries WHERE id = $1 FOR NO KEY UPDATE`,
);
/** What the decision on a failing endpoint needs besides: rows that refer to the account, and its audit chain. */
const lockAccount = statement(
  'pm_locks_account_v1',
  (s) => `SELECT FROM ${s}.accounts WHERE id = $1 FOR KEY SHARE`,
);
const lockChain = statement(
  'pm_locks_audit_chain_v1',
  (s) => `SELECT FROM ${s}.audit_heads WHERE chain = $1 FOR NO KEY UPDATE`,
);
/**
 * The sessions at the end of each chain of waits: they wait for no lock themselves. Only members of
 * `pg_read_all_stats` see the state of the sessions of other roles.
 */
const holders = statement(
  'pm_locks_holders_v1',
  () => `WITH RECURSIVE blocking (pid) AS (
  SELECT unnest(pg_blocking_pids($1::integer))
  UNION
  SELECT b.pid FROM blocking CROSS JOIN LATERAL unnest(pg_blocking_pids(blocking.pid)) AS b (pid))
SELECT b.pid, NULLIF(a.application_name, '') AS application_name, a.state,
  extract(epoch FROM clock_timestamp() - a.xact_start)::double precision * 1000 AS open_ms
FROM blocking b LEFT JOIN pg_stat_activity a ON a.pid = b.pid
WHERE cardinality(pg_blocking_pids(b.pid)) = 0 ORDER BY b.pid`,
);

/**
 * Who holds the rows that a result waits for; see `DeliveryQueue.findLockHolders`. The server names the
 * holders of a lock only while somebody waits for it, so one connection waits, and another one asks.
 */
export async function findLockHolders(
  session: Session,
  { id, endpointId, accountId }: LockedDelivery,
): Promise<readonly LockHolder[]> {
  let pid: number | undefined;
  let isWaiting = true;
  const probe = inTransaction(session, async (inner) => {
    await inner.plain(`SET LOCAL lock_timeout = ${PROBE_MS}`);
    pid = (await inner.plain<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
    await inner.query(lockEndpoint, [endpointId]);
    await inner.query(lockDelivery, [id]);
    await inner.query(lockAccount, [accountId]);
    await inner.query(lockChain, [accountId]);
  }).finally(() => {
    isWaiting = false;
  });
  // Marked as handled; it is awaited below.
  probe.catch(() => undefined);
  let found: readonly HolderRow[] = [];
  while (isWaiting && found.length === 0) {
    await wait(ASK_EVERY_MS);
    if (pid !== undefined) found = (await session.query<HolderRow>(holders, [pid])).rows;
  }
  await probe.catch((error: unknown) => {
    if (!isLockedOut(error)) throw error;
  });
  return found.map((row) => ({
    pid: row.pid,
    ...present({
      applicationName: row.application_name,
      state: row.state,
      openMs: row.open_ms === null ? null : Math.round(row.open_ms),
    }),
  }));
}
