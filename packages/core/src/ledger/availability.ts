import type { Clock } from '../kernel/basics/clock.ts';
import type { TestClockId } from '../kernel/basics/id.ts';
import type { LedgerRepository } from './ledger-repository.ts';
import type { LedgerStorage } from './ledger-storage.ts';
import { bookAvailability } from './recipes.ts';

const BATCH = 500;

/**
 * Moves due funds that are on no test clock from `pending` to `available` (recipe `availability`). Any number of processes
 * may do it at once: each takes rows that no other process has locked, and posts them without
 * waiting.
 * @returns whether more funds may be due
 */
export async function releaseFunds(ports: {
  readonly storage: LedgerStorage;
  readonly clock: Clock;
}): Promise<boolean> {
  const at = ports.clock.now();
  return ports.storage.transaction(
    async ({ ledger }) => (await postDueFunds(ledger, { at, limit: BATCH })) === BATCH,
  );
}

/**
 * The same, in a transaction.
 * @param due `clock`: only funds on this test clock, whose time is `at`
 * @returns the number of balance transactions whose funds are available now
 */
export async function postDueFunds(
  ledger: Pick<LedgerRepository, 'claimDueFunds' | 'post'>,
  { at, limit, clock }: { readonly at: Date; readonly limit: number; readonly clock?: TestClockId },
): Promise<number> {
  const due = await ledger.claimDueFunds(at, limit, clock);
  const postings = due.flatMap((funds) => {
    const { accountId, environment } = funds;
    const posting = bookAvailability(funds, at);
    return posting === undefined ? [] : { ...posting, accountId, environment };
  });
  await ledger.post(postings);
  return due.length;
}
