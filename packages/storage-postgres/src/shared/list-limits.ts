import { PaymountError } from '@paymount/core/kernel';
import { isSqlError } from '../connection/sql-errors.ts';
import type { Session } from '../transaction/session.ts';
import { readWithin } from '../transaction/snapshot.ts';

/**
 * A page normally takes milliseconds; one that takes this long reads a large part of the history.
 */
const LIST_LIMIT_MS = 2_000;

/**
 * Reads a page: on one of the few connections for lists, so that requests that move money always
 * get one, and within two seconds on the server. Within a transaction, the limits of that
 * transaction apply.
 * @throws PaymountError `lists_busy` when no connection was free within a second, `list_too_slow`
 */
export async function readList<Result>(
  session: Session,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  if (session.open) return work(session);
  const read = await session.connections.lists.use(() =>
    readWithin(session, LIST_LIMIT_MS, work).catch((error: unknown) => {
      throw isOverTime(error) ? new PaymountError('list_too_slow') : error;
    }),
  );
  if (read === 'full') throw new PaymountError('lists_busy');
  return read.result;
}

/**
 * The server's statement limit. `translated` reports it as a lock timeout, but a list waits for no
 * lock.
 */
function isOverTime(error: unknown): boolean {
  return PaymountError.is(error) && isSqlError(error.cause) && error.cause.code === '57014';
}
