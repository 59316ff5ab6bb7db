import type { Finding } from '@paymount/core/store';
import type { Session } from '../transaction/session.ts';

const SUBJECT = 'locks';
/** Paymount's own transactions end within six seconds. */
const LONG_HOLD_SECONDS = 10;
/** A commit waits for a moment under load. */
const LONG_WAIT_SECONDS = 1;
const SHOWN = 10;

interface HolderRow {
  /** Null for a prepared transaction, which no session has. */
  readonly pid: number | null;
  readonly gid: string | null;
  readonly role: string | null;
  readonly application: string | null;
  readonly state: string | null;
  /** Null if this role may not see it. */
  readonly seconds: number | null;
  /** Tables of Paymount whose rows it has locked; null if it has locked none. */
  readonly tables: readonly string[] | null;
  /** Whether it has locked a whole table against writers. */
  readonly blocks_writers: boolean;
  readonly waiting: number;
  readonly longest_wait: number;
}

/**
 * A session waits for locks of others if one of its locks is not granted. Locks of rows are not in
 * `pg_locks`, but who has locked a row also has a lock on its table. VACUUM and readers take weaker
 * locks than those here.
 */
const HOLDERS = `WITH ours AS MATERIALIZED (
  SELECT c.oid, c.relname::text AS name FROM pg_catalog.pg_class c
  WHERE c.relnamespace = (SELECT n.oid FROM pg_catalog.pg_namespace n WHERE n.nspname = $1)
    AND c.relkind IN ('r', 'p')),
locks AS MATERIALIZED (
  SELECT l.*, o.name FROM pg_catalog.pg_locks l LEFT JOIN ours o ON o.oid = l.relation
    AND l.locktype IN ('relation', 'tuple')
    AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = current_database())),
waits AS (
  SELECT b.pid, count(DISTINCT l.pid)::integer AS waiting,
    max(extract(epoch FROM clock_timestamp() - l.waitstart))::double precision AS longest
  FROM locks l CROSS JOIN LATERAL unnest(pg_catalog.pg_blocking_pids(l.pid)) AS b (pid)
  WHERE NOT l.granted AND EXISTS (SELECT FROM locks m WHERE m.pid = l.pid AND m.name IS NOT NULL)
  GROUP BY b.pid),
holders AS (
  SELECT l.pid, l.virtualtransaction,
    array_agg(DISTINCT l.name ORDER BY l.name) FILTER (WHERE l.name IS NOT NULL) AS tables,
    COALESCE(bool_or(l.name IS NOT NULL AND l.mode IN
      ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
      AND l.locktype = 'relation'), false) AS blocks_writers
  FROM locks l WHERE l.granted
    AND (l.name IS NULL OR l.mode NOT IN ('AccessShareLock', 'ShareUpdateExclusiveLock'))
    AND l.pid IS DISTINCT FROM pg_backend_pid()
  GROUP BY l.pid, l.virtualtransaction)
SELECT h.pid, p.gid, COALESCE(a.usename, p.owner)::text AS role, a.application_name AS application, a.state,
  extract(epoch FROM clock_timestamp() - COALESCE(a.xact_start, p.prepared))::double precision AS seconds,
  h.tables, h.blocks_writers, COALESCE(w.waiting, 0) AS waiting, COALESCE(w.longest, 0) AS longest_wait
FROM holders h LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = h.pid
  LEFT JOIN pg_catalog.pg_prepared_xacts p ON h.virtualtransaction = '-1/' || p.transaction::text
  LEFT JOIN waits w ON w.pid = COALESCE(h.pid, 0)
WHERE (h.tables IS NOT NULL AND (h.blocks_writers OR
    clock_timestamp() - COALESCE(a.xact_start, p.prepared) >= $2 * interval '1 second'))
  OR w.longest >= $3
ORDER BY w.longest DESC NULLS LAST, seconds DESC NULLS LAST`;

/**
 * Who holds locks that hold work up: a session for which others wait, one that has locked a table
 * against writers, and a transaction that has held rows of ours for long, which workers skip.
 */
export async function inspectLocks(session: Session): Promise<readonly Finding[]> {
  const { rows } = await session.plain<HolderRow>(HOLDERS, [
    session.statements.schemaName,
    LONG_HOLD_SECONDS,
    LONG_WAIT_SECONDS,
  ]);
  if (rows.length === 0) {
    return [{ subject: SUBJECT, verdict: 'ok', message: 'No lock holds work up.' }];
  }
  return rows.slice(0, SHOWN).map(toFinding);
}

function toFinding(row: HolderRow): Finding {
  const isProblem = row.blocks_writers || row.waiting > 0;
  return { subject: SUBJECT, verdict: isProblem ? 'problem' : 'warning', message: describe(row) };
}

function describe(row: HolderRow): string {
  const { pid, gid, seconds, tables, blocks_writers: blocksWriters, waiting } = row;
  const age = seconds === null ? '' : `, open for ${Math.round(seconds)} seconds,`;
  const held =
    tables === null ? 'a lock that sessions of Paymount need' : `on ${tables.join(', ')}`;
  const sentences = [
    `${describeHolder(row)}${age} holds ${tables === null ? held : `locks ${held}`}.`,
    ...(blocksWriters ? ['Nothing can be written there.'] : []),
    ...(waiting === 0
      ? ['Work on its rows waits or is passed over.']
      : [
          `Sessions that wait for it: ${waiting}, the longest for ${Math.round(row.longest_wait)} seconds.`,
        ]),
    pid === null
      ? `End it: ${gid === null ? 'see pg_prepared_xacts' : `ROLLBACK PREPARED '${gid}', or COMMIT PREPARED`}.`
      : `End it: SELECT pg_terminate_backend(${pid}).`,
  ];
  return sentences.join(' ');
}

function describeHolder({ pid, role, application, state }: HolderRow): string {
  if (pid === null) return 'A prepared transaction';
  const facts = [
    ...(role === null ? [] : [`role ${role}`]),
    ...(application ? [application] : []),
    ...(state === null ? [] : [state]),
  ];
  return `The session ${pid}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`;
}
