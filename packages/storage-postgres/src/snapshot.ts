import type { Session } from './session.ts';

/** How long one statement of a snapshot may take, and how long the next may be awaited. */
export const SNAPSHOT_LIMIT_MS = 30 * 60_000;

/**
 * For reading much: a cursor is read to its end, so it is planned for that; `jit` compiles for longer
 * than it gains; and a server that has lost its client stops within a second, where its system
 * can tell it so.
 */
const SETTINGS = `SET LOCAL statement_timeout = ${SNAPSHOT_LIMIT_MS};
  SET LOCAL idle_in_transaction_session_timeout = ${SNAPSHOT_LIMIT_MS};
  SELECT set_config('client_connection_check_interval', '1000', true) WHERE version() LIKE '%linux%';
  SET LOCAL cursor_tuple_fraction = 1; SET LOCAL work_mem = '64MB'; SET LOCAL jit = off`;

/**
 * Runs `work` in a transaction that only reads, and sees one moment throughout. What it waits for
 * may take `SNAPSHOT_LIMIT_MS`; a statement of ours still has the limit of its own.
 * @param snapshot of another such transaction, still open, to see the same moment.
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
