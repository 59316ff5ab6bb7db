import { PaymountError } from '@paymount/core/kernel';
import type { Session } from '../session.ts';
import { readWithin } from '../snapshot.ts';
import { isSqlError } from './sql-errors.ts';

/** A page is found in milliseconds; one that takes this long reads much of a history. */
const LIST_LIMIT_MS = 2_000;

/**
 * Reads a page: on one of the few connections that lists may take at a time, so that money always
 * finds one, and within two seconds of the server's time. Inside a transaction it is as limited as that.
 * @throws PaymountError `lists_busy` when no turn came within a second, `list_too_slow`
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

/** The server's own limit, which `translated` takes for a lock: a list waits for none. */
function isOverTime(error: unknown): boolean {
  return PaymountError.is(error) && isSqlError(error.cause) && error.cause.code === '57014';
}
