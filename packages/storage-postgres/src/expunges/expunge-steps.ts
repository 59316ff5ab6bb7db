import type { ExpungeQueue, ExpungeRequestId } from '@paymount/core/expunging';
import { whyRefused } from '../connection/sql-errors.ts';
import { statement } from '../connection/statement.ts';
import type { Session } from '../transaction/session.ts';
import { inTransaction } from '../transaction/transaction.ts';
import { chooseEvents } from './choose-events.ts';
import { expungeEvents } from './expunge-events.ts';
import { EXPUNGE_LIST, type ExpungeRow, saveExpunge, toExpunge } from './expunge-rows.ts';

const open = statement(
  'pm_expunges_open_v1',
  (s) => `SELECT id FROM ${s}.expunge_requests WHERE finished_at IS NULL
    ORDER BY looked_at NULLS FIRST, id LIMIT $1`,
);
const lock = statement(
  'pm_expunges_step_v1',
  (s) => `SELECT ${EXPUNGE_LIST} FROM ${s}.expunge_requests
    WHERE id = $1 AND finished_at IS NULL FOR NO KEY UPDATE SKIP LOCKED`,
);
const fail = statement(
  'pm_expunges_fail_v1',
  (s) => `UPDATE ${s}.expunge_requests SET status = 'failed', finished_at = $2, looked_at = $2,
      failure = $3, position_type = NULL, position_created = NULL, position_event_id = NULL
    WHERE id = $1 AND finished_at IS NULL`,
);
const postpone = statement(
  'pm_expunges_postpone_v1',
  (s) => `UPDATE ${s}.expunge_requests SET looked_at = $2 WHERE id = (
    SELECT id FROM ${s}.expunge_requests WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED)`,
);

/**
 * Statistics that are old may say that all deliveries are of one event. No step may read a table as a
 * whole, also not the deliveries of a few events.
 */
const BY_INDEX = 'SET LOCAL enable_seqscan = off';
/** Requests about other accounts wait meanwhile, and the step is tried again. */
const LOCK_LIMIT = 'SET LOCAL lock_timeout = 200';

/**
 * The requests that workers work off.
 * @param clock its offset is added to the database's time
 */
export function expungeQueue(session: Session, clock: { readonly shiftMs: number }): ExpungeQueue {
  return {
    async open(limit) {
      const { rows } = await session.query<{ id: ExpungeRequestId }>(open, [limit]);
      return rows.map(({ id }) => id);
    },
    step: (id, work) =>
      inTransaction(session, async (inner) => {
        await inner.plain(`${BY_INDEX}; ${LOCK_LIMIT}`);
        const [row] = (await inner.query<ExpungeRow>(lock, [id])).rows;
        const request = row && toExpunge(row);
        if (request?.status !== 'pending' && request?.status !== 'running') return undefined;
        return work(
          {
            choose: () => chooseEvents(inner, request),
            expunge: (eventIds, now) =>
              expungeEvents(inner, request, { eventIds, now, shiftMs: clock.shiftMs }),
            save: (after, now) => saveExpunge(inner, after, now),
          },
          request,
        );
      }),
    whyNever: whyRefused,
    async fail(id, now, failure) {
      await session.query(fail, [id, now, failure]);
    },
    async postpone(id, now) {
      await session.query(postpone, [id, now]);
    },
  };
}
