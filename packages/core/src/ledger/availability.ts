import type { Clock } from '../kernel/basics/clock.ts';
import type { LedgerStorage } from './ledger-storage.ts';
import { bookAvailability } from './recipes.ts';

const BATCH = 500;

/**
 * Moves due funds from `pending` to `available` (recipe `availability`). Any number of processes
 * may do it at once: each takes rows that no other process has locked, and posts them without
 * waiting.
 * @returns whether more funds may be due
 */
export async function releaseFunds(ports: {
  readonly storage: LedgerStorage;
  readonly clock: Clock;
}): Promise<boolean> {
  const at = ports.clock.now();
  return ports.storage.transaction(async ({ ledger }) => {
    const due = await ledger.claimDueFunds(at, BATCH);
    const postings = due.flatMap((funds) => {
      const { accountId, environment } = funds;
      const posting = bookAvailability(funds, at);
      return posting === undefined ? [] : { ...posting, accountId, environment };
    });
    await ledger.post(postings);
    return due.length === BATCH;
  });
}
