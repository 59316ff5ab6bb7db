import assert from 'node:assert/strict';
import {
  STORAGE_CAPABILITIES,
  type StorageAdapter,
  type StorageCapability,
} from '../store/storage-adapter.ts';
import type { ConformanceCase } from './conformance-case.ts';
import { accessCases } from './storage-access.ts';
import { adminCases } from './storage-admins.ts';
import {
  onStorageBench,
  type StorageBench,
  type StorageCases,
  type StorageFixtures,
} from './storage-bench.ts';
import { changeCases } from './storage-changes.ts';
import { chosenCases } from './storage-chosen.ts';
import { claimCases } from './storage-claims.ts';
import { clockedCases } from './storage-clocked.ts';
import { concurrentEventCases } from './storage-concurrent-events.ts';
import { correctionCases } from './storage-corrections.ts';
import { countCases } from './storage-counts.ts';
import { customerCases } from './storage-customers.ts';
import { deliveryCases } from './storage-deliveries.ts';
import { disputeListCases } from './storage-dispute-lists.ts';
import { disputeCases } from './storage-disputes.ts';
import { erasureCases } from './storage-erasures.ts';
import { expungingCases } from './storage-expunging.ts';
import { fanOutCases } from './storage-fan-out.ts';
import { fileCases } from './storage-files.ts';
import { grantCases } from './storage-grants.ts';
import { hostCases } from './storage-host.ts';
import { idempotencyCases } from './storage-idempotency.ts';
import { interactionCases } from './storage-interactions.ts';
import { keyCases } from './storage-keys.ts';
import { leakCases } from './storage-leaks.ts';
import { ledgerCases } from './storage-ledger.ts';
import { listCases } from './storage-lists.ts';
import { mailCases } from './storage-mails.ts';
import { noticeCases } from './storage-notices.ts';
import { accessChangeCases, deliveryNotificationCases } from './storage-notifications.ts';
import { oldEventCases } from './storage-old-events.ts';
import { parallelCases, processCases } from './storage-parallel.ts';
import { payoutCases } from './storage-payouts.ts';
import { platformCases } from './storage-platforms.ts';
import { portCases } from './storage-port.ts';
import { replayBoundCases } from './storage-replay-bounds.ts';
import { replayCases } from './storage-replays.ts';
import { retentionCases } from './storage-retention.ts';
import { reviewCases } from './storage-reviews.ts';
import { settlementCases } from './storage-settlements.ts';
import { stateCases } from './storage-state.ts';
import { testClockCases } from './storage-test-clocks.ts';
import { usageCases } from './storage-usage.ts';

/** What every adapter must do. */
const DEMANDED = {
  ...portCases,
  ...changeCases,
  ...idempotencyCases,
  ...customerCases,
  ...correctionCases,
  ...fileCases,
  ...listCases,
  ...ledgerCases,
  ...fanOutCases,
  ...concurrentEventCases,
  ...chosenCases,
  ...deliveryCases,
  ...countCases,
  ...claimCases,
  ...keyCases,
  ...accessCases,
  ...platformCases,
  ...grantCases,
  ...interactionCases,
  ...adminCases,
  ...usageCases,
  ...leakCases,
  ...mailCases,
  ...stateCases,
  ...replayCases,
  ...replayBoundCases,
  ...expungingCases,
  ...retentionCases,
  ...erasureCases,
  ...oldEventCases,
  ...reviewCases,
  ...noticeCases,
  ...payoutCases,
  ...disputeCases,
  ...disputeListCases,
  ...settlementCases,
  ...testClockCases,
  ...clockedCases,
};

/** The features of an adapter that it may declare as missing. */
const DEPENDING: Readonly<Record<StorageCapability, StorageCases>> = {
  processes: processCases,
  'parallel-transactions': parallelCases,
  'access-change-notifications': accessChangeCases,
  'delivery-notifications': deliveryNotificationCases,
  'host-transactions': hostCases,
};

/** One test of an adapter of storage. */
export interface StorageCase extends ConformanceCase {
  /**
   * The feature without which an adapter skips this case.
   * @defaultValue every adapter must pass it
   */
  readonly needs?: StorageCapability;
  /** The reason to skip it for this adapter; `run` rejects then. @defaultValue it is not skipped */
  readonly leftOut?: string;
}

/**
 * The facts that must be known before the adapter is opened, because test runners need the names of
 * cases in advance.
 */
export interface StorageSuite extends StorageFixtures {
  /** The same list as in the adapter; a case compares the two. @defaultValue nothing */
  readonly lacks?: readonly StorageCapability[];
}

/**
 * The suite that every adapter of the storage port passes, with 50 concurrent callers of each
 * method that decides a race. Each case migrates and opens the adapter, creates its own accounts,
 * and closes it. All may use one database, which may contain other data.
 * @param adapter called once, by the first case, because a database may have to start
 */
export function storageCases(
  adapter: () => StorageAdapter | Promise<StorageAdapter>,
  suite: StorageSuite = {},
): readonly StorageCase[] {
  const { lacks = [], ...fixtures } = suite;
  let made: Promise<StorageAdapter> | undefined;
  const run = (test: (bench: StorageBench) => Promise<void>) => async (): Promise<void> => {
    made ??= Promise.resolve(adapter());
    const migrated = await made;
    await migrated.migrate();
    await onStorageBench(migrated, fixtures, test);
  };
  const lacking: StorageCases = {
    [`declares the same missing features as the suite: ${lacks.join(', ') || 'nothing'}`]: async (
      bench,
    ) => {
      assert.deepEqual((bench.adapter.lacks ?? []).toSorted(), [...lacks].sort());
    },
  };
  const demanded = Object.entries({ ...lacking, ...DEMANDED });
  const depending = STORAGE_CAPABILITIES.flatMap((needs) => {
    const leftOut = whyLeftOut(suite, needs);
    return Object.entries(DEPENDING[needs]).map(([name, test]) =>
      leftOut === undefined
        ? { name, needs, run: run(test) }
        : { name, needs, leftOut, run: () => Promise.reject(new Error(leftOut)) },
    );
  });
  return [...demanded.map(([name, test]) => ({ name, run: run(test) })), ...depending];
}

function whyLeftOut(
  { lacks = [], hostTransaction }: StorageSuite,
  needs: StorageCapability,
): string | undefined {
  if (lacks.includes(needs)) return `the adapter lacks ${needs}`;
  if (needs === 'host-transactions' && hostTransaction === undefined) {
    return 'the fixture hostTransaction is not given';
  }
  return undefined;
}
