import type { ConformanceCase } from './conformance-case.ts';
import { accessCases } from './storage-access.ts';
import { adminCases } from './storage-admins.ts';
import { openStorageBench, type StorageUnderTest } from './storage-bench.ts';
import { changeCases } from './storage-changes.ts';
import { chosenCases } from './storage-chosen.ts';
import { claimCases } from './storage-claims.ts';
import { deliveryCases } from './storage-deliveries.ts';
import { fanOutCases } from './storage-fan-out.ts';
import { idempotencyCases } from './storage-idempotency.ts';
import { keyCases } from './storage-keys.ts';
import { leakCases } from './storage-leaks.ts';
import { ledgerCases } from './storage-ledger.ts';
import { listCases } from './storage-lists.ts';
import { mailCases } from './storage-mails.ts';
import { replayBoundCases } from './storage-replay-bounds.ts';
import { replayCases } from './storage-replays.ts';
import { reviewCases } from './storage-reviews.ts';
import { usageCases } from './storage-usage.ts';

/**
 * The suite that every adapter of the storage ports passes, with 50 callers at once on each verb
 * that names a race. Cases make their own accounts, and may share one store.
 * @param open called by each case; may answer the same adapter each time
 */
export function storageCases(open: () => StorageUnderTest): readonly ConformanceCase[] {
  const tests = {
    ...changeCases,
    ...idempotencyCases,
    ...listCases,
    ...ledgerCases,
    ...fanOutCases,
    ...chosenCases,
    ...deliveryCases,
    ...claimCases,
    ...keyCases,
    ...accessCases,
    ...adminCases,
    ...usageCases,
    ...leakCases,
    ...mailCases,
    ...replayCases,
    ...replayBoundCases,
    ...reviewCases,
  };
  return Object.entries(tests).map(([name, test]) => ({
    name,
    run: async () => test(await openStorageBench(open())),
  }));
}
