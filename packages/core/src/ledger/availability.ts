import { applyIn } from '../changes/commit.ts';
import type { Storage } from '../changes/storage.ts';
import type { Clock } from '../shared/clock.ts';
import type { BalanceTransaction } from './ledger.ts';
import { bookAvailability } from './recipes.ts';

const BATCH = 500;

/**
 * Moves funds whose time has come from `pending` to `available` (recipe `availability`). Any
 * number of processes may do it at once: each takes rows that nobody holds, and posting them waits
 * for nobody.
 * @returns whether more may be due
 */
export async function releaseFunds(ports: {
  readonly storage: Storage;
  readonly clock: Clock;
}): Promise<boolean> {
  const at = ports.clock.now();
  return ports.storage.transaction(async (repositories) => {
    const due = await repositories.ledger.claimDueFunds(at, BATCH);
    for (const [first, ...rest] of byOwner(due)) {
      const { accountId, environment } = first;
      const postings = [first, ...rest].flatMap((each) => bookAvailability(each, at) ?? []);
      if (postings.length === 0) continue;
      await applyIn(repositories, { accountId, environment, at, writes: [], postings });
    }
    return due.length === BATCH;
  });
}

type Funds = readonly [BalanceTransaction, ...BalanceTransaction[]];

function byOwner(transactions: readonly BalanceTransaction[]): Iterable<Funds> {
  const owners = new Map<string, [BalanceTransaction, ...BalanceTransaction[]]>();
  for (const each of transactions) {
    const owner = `${each.accountId} ${each.environment}`;
    const funds = owners.get(owner);
    if (funds) funds.push(each);
    else owners.set(owner, [each]);
  }
  return owners.values();
}
