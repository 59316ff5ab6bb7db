import { toFile } from '@paymount/core/payments';
import type { Parts } from './parts.ts';

const BATCH = 100;
const LEASE_MS = 30_000;

/**
 * Sends what the sandbox planned on no test clock and what is due, in the way in which a real processor's notices
 * come in. After a crash it is sent again, which changes nothing.
 * @returns whether more may be due
 */
export async function sendPlannedNotices({
  stores,
  noticeInbox,
  clock,
}: Pick<Parts, 'stores' | 'noticeInbox' | 'clock'>): Promise<boolean> {
  const { plannedNotices } = stores;
  const due = await plannedNotices.claimDue({
    now: clock.now(),
    limit: BATCH,
    leaseMs: LEASE_MS,
  });
  if (due.length === 0) return false;
  const { recorded } = await noticeInbox.record('test', { file: toFile(due) });
  await plannedNotices.remove(due.map(({ noticeId }) => noticeId));
  await noticeInbox.applyAll(recorded);
  return due.length === BATCH;
}
