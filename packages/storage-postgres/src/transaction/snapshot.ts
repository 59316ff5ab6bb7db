import type { Session } from './session.ts';

/** How long one statement of a snapshot may take, and how long the next one may take to follow. */
export const SNAPSHOT_LIMIT_MS = 30 * 60_000;

/**
 * Settings for large reads: cursors are planned to be read to the end, by one process, as `EXPLAIN` then
 * tells of their text too; `jit` is off because it costs more than it saves; all versions of the server
 * give hash tables the same memory; and a server that has lost its client stops within a second, if its
 * operating system reports that.
 */
const SETTINGS = `SET LOCAL statement_timeout = ${SNAPSHOT_LIMIT_MS};
  SET LOCAL idle_in_transaction_session_timeout = ${SNAPSHOT_LIMIT_MS};
  SELECT set_config('client_connection_check_interval', '1000', true) WHERE version() LIKE '%linux%';
  SET LOCAL cursor_tuple_fraction = 1; SET LOCAL work_mem = '64MB'; SET LOCAL jit = off;
  SET LOCAL hash_mem_multiplier = 2; SET LOCAL max_parallel_workers_per_gather = 0`;

/**
 * Runs `work` in a read-only transaction with one snapshot. Statements may take up to
 * `SNAPSHOT_LIMIT_MS`; our named statements keep their own limit.
 * @param snapshot of another such transaction that is still open, to read the same snapshot.
 *   @defaultValue a new one, whose name `work` gets
 */
export async function inSnapshot(
  session: Session,
  work: (pinned: Session, snapshot: string) => Promise<void>,
  snapshot?: string,
): Promise<void> {
  await session.pinned(async (pinned) => {
    await pinned.plain('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    try {
      if (snapshot !== undefined) await pinned.plain(`SET TRANSACTION SNAPSHOT '${snapshot}'`);
      await pinned.plain(SETTINGS);
      const { rows } = await pinned.plain<{ id: string }>('SELECT pg_export_snapshot() AS id');
      await work(pinned, rows[0]?.id ?? '');
    } finally {
      await pinned.plain('ROLLBACK').catch(() => undefined);
    }
  });
}

/**
 * Runs `work`, which only reads, on one connection; each of its statements is ended by the server
 * after `limitMs`.
 */
export function readWithin<Result>(
  session: Session,
  limitMs: number,
  work: (pinned: Session) => Promise<Result>,
): Promise<Result> {
  return session.pinned(async (pinned) => {
    await pinned.plain(`BEGIN READ ONLY; SET LOCAL statement_timeout = ${limitMs}`);
    try {
      return await work(pinned);
    } finally {
      await pinned.plain('ROLLBACK').catch(() => undefined);
    }
  });
}
