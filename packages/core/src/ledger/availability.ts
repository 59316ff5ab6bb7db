import { applyIn } from '../changes/commit.ts';
import type { Storage } from '../changes/storage.ts';
import type { Clock } from '../shared/clock.ts';
import { bookAvailability } from './recipes.ts';

const BATCH = 100;

/**
 * Moves funds whose time has come from `pending` to `available` (recipe `availability`).
 * @returns how many balance transactions became available; run it again while it is a full batch
 */
export async function releaseFunds(ports: {
  readonly storage: Storage;
  readonly clock: Clock;
}): Promise<number> {
  const at = ports.clock.now();
  return ports.storage.transaction(async (repositories) => {
    const due = await repositories.ledger.claimDueFunds(at, BATCH);
    // Credits first: a refund's tail must find the charge that covers it.
    const ordered = due.toSorted((a, b) => (a.amount > b.amount ? -1 : 1));
    for (const transaction of ordered) {
      const posting = bookAvailability(transaction, at);
      if (posting === undefined) continue;
      const { accountId, environment } = transaction;
      await applyIn(repositories, { accountId, environment, at, writes: [], postings: [posting] });
    }
    return due.length;
  });
}
