import type { Finding } from '@paymount/core/store';
import { OLDEST_POSTGRESQL } from '../connection/assert-server.ts';
import { whyNoTables } from '../schema/describe-denied.ts';
import type { Session } from '../transaction/session.ts';

/** `poolSize`, two for key look-ups, and one that listens: docs/how-to/run-workers.md. */
const CONNECTIONS_OF_A_PROCESS = 13;
/** A transaction that is open for longer keeps dead rows, which every claim then reads. */
const LONG_TRANSACTION_SECONDS = 600;

interface ServerRow {
  readonly version: string;
  readonly version_num: string;
  readonly in_recovery: boolean;
  readonly max_connections: number;
  readonly connections: number;
  readonly oldest_seconds: number | null;
  readonly oldest_pid: number | null;
  readonly fsync: string;
  readonly full_page_writes: string;
  readonly synchronous_commit: string;
  readonly read_only: string;
  /** Tables that this role may not read or write. */
  readonly denied: readonly string[] | null;
}

const SERVER = `SELECT current_setting('server_version') AS version,
  current_setting('server_version_num') AS version_num,
  pg_is_in_recovery() AS in_recovery,
  current_setting('max_connections')::integer
    - current_setting('superuser_reserved_connections')::integer AS max_connections,
  (SELECT count(*)::integer FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
  oldest.seconds AS oldest_seconds, oldest.pid AS oldest_pid,
  current_setting('fsync') AS fsync,
  current_setting('full_page_writes') AS full_page_writes,
  current_setting('synchronous_commit') AS synchronous_commit,
  current_setting('default_transaction_read_only') AS read_only,
  (SELECT array_agg(c.relname::text ORDER BY c.relname) FROM pg_catalog.pg_class c
   WHERE c.relnamespace = (SELECT n.oid FROM pg_catalog.pg_namespace n WHERE n.nspname = $1)
     AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> 'migrations'
     AND NOT (has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')
       AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE'))) AS denied
FROM (VALUES (1)) one LEFT JOIN LATERAL (
  SELECT extract(epoch FROM clock_timestamp() - a.xact_start)::double precision AS seconds, a.pid
  FROM pg_stat_activity a WHERE a.xact_start IS NOT NULL AND a.pid <> pg_backend_pid()
    AND a.datname = current_database()
  ORDER BY a.xact_start LIMIT 1) oldest ON true`;

/** What an operator should know about the server. */
export async function inspectServer(session: Session): Promise<readonly Finding[]> {
  const { schema, schemaName } = session.statements;
  const [row] = (await session.plain<ServerRow>(SERVER, [schemaName])).rows;
  if (row === undefined) throw new Error('PostgreSQL returned no settings.');
  return [
    version(row),
    connections(row),
    transactions(row),
    durability(row),
    ...(row.denied === null
      ? [partitions(await whyNoTables(session))]
      : [rights(row.denied, schema)]),
  ];
}

function version({ version, version_num, in_recovery, read_only }: ServerRow): Finding {
  const subject = 'server';
  if (in_recovery) {
    const message = `PostgreSQL ${version} is a standby. Connect to the primary.`;
    return { subject, verdict: 'problem', message };
  }
  if (read_only === 'on') {
    const message =
      'default_transaction_read_only is on, so nothing can be written. Set it to off for this role and database.';
    return { subject, verdict: 'problem', message };
  }
  // 140023 is 14.23.
  if (Number(version_num) < OLDEST_POSTGRESQL * 10_000) {
    const message = `PostgreSQL ${version} is too old. Upgrade to ${OLDEST_POSTGRESQL} or later.`;
    return { subject, verdict: 'problem', message };
  }
  return { subject, verdict: 'ok', message: `PostgreSQL ${version}.` };
}

function connections({ max_connections, connections }: ServerRow): Finding {
  const used = `${connections} of ${max_connections} connections are in use.`;
  const isShort = max_connections - connections < CONNECTIONS_OF_A_PROCESS;
  return {
    subject: 'connections',
    verdict: isShort ? 'warning' : 'ok',
    message: isShort
      ? `${used} A process needs ${CONNECTIONS_OF_A_PROCESS}: raise max_connections, lower poolSize, or use a pooler.`
      : used,
  };
}

function transactions({ oldest_seconds, oldest_pid }: ServerRow): Finding {
  const subject = 'transactions';
  if (oldest_seconds === null) return { subject, verdict: 'ok', message: 'None is open.' };
  const age = `The oldest has been open for ${Math.round(oldest_seconds)} seconds (pid ${oldest_pid}).`;
  return oldest_seconds < LONG_TRANSACTION_SECONDS
    ? { subject, verdict: 'ok', message: age }
    : {
        subject,
        verdict: 'warning',
        message: `${age} It keeps deleted rows and slows deliveries. End it, or set idle_in_transaction_session_timeout.`,
      };
}

function durability({ fsync, full_page_writes, synchronous_commit }: ServerRow): Finding {
  const off = Object.entries({ fsync, full_page_writes, synchronous_commit })
    .filter(([, value]) => value === 'off')
    .map(([name]) => `${name} is off`);
  if (off.length === 0) {
    const message = 'A committed payment survives a crash of the server.';
    return { subject: 'durability', verdict: 'ok', message };
  }
  const message = `A crash of the server may lose committed payments: ${off.join(', ')}.`;
  return { subject: 'durability', verdict: 'warning', message };
}

function rights(denied: readonly string[], schema: string): Finding {
  const message =
    `It may not read and write ${denied.join(', ')}. As their owner, run: GRANT SELECT, INSERT, UPDATE, DELETE ` +
    `ON ALL TABLES IN SCHEMA ${schema} TO this role.`;
  return { subject: 'role', verdict: 'problem', message };
}

function partitions(lack: string | undefined): Finding {
  const subject = 'role';
  if (lack === undefined) {
    return { subject, verdict: 'ok', message: 'It may create the partitions of the log.' };
  }
  const message = `A worker cannot run as this role. ${lack}`;
  return { subject, verdict: 'warning', message };
}
