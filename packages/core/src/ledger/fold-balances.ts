import type { LedgerStorage } from './ledger-storage.ts';

const BATCH = 100;

/**
 * Adds new postings to the stored balances that limit refunds and payouts, so that reading a
 * balance stays cheap. One short transaction per hundred ledger accounts.
 * @param isClosing ends the round early
 */
export async function foldBalances(
  storage: LedgerStorage,
  isClosing: () => boolean = () => false,
): Promise<void> {
  let after: bigint | undefined = 0n;
  while (after !== undefined && !isClosing()) {
    const from: bigint = after;
    after = await storage.transaction(({ ledger }) => ledger.fold(from, BATCH));
  }
}
