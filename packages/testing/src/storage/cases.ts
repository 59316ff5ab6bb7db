import assert from 'node:assert/strict';
import {
  STORAGE_CAPABILITIES,
  type StorageAdapter,
  type StorageCapability,
} from '@paymount/core/store';
import type { ConformanceCase } from '../run/conformance-case.ts';
import { accessCases } from './access/access.ts';
import { keyCases } from './access/keys.ts';
import { leakCases } from './access/leaks.ts';
import { usageCases } from './access/usage.ts';
import { adminCases } from './admins.ts';
import { billingDirectoryCases } from './billing-directories.ts';
import { billingPeriodCases } from './billing-periods.ts';
import { changeCases } from './changes.ts';
import { dueSubscriptionCases } from './due-subscriptions.ts';
import { chosenCases } from './events/chosen.ts';
import { claimCases } from './events/claims.ts';
import { concurrentEventCases } from './events/concurrent-events.ts';
import { countCases } from './events/counts.ts';
import { deliveryCases } from './events/deliveries.ts';
import { endedAccessCases } from './events/ended-access.ts';
import { fanOutCases } from './events/fan-out.ts';
import { oldEventCases } from './events/old-events.ts';
import { replayBoundCases } from './events/replay-bounds.ts';
import { replayCases } from './events/replays.ts';
import { expungingCases } from './expunging.ts';
import { hostCases } from './host.ts';
import { idempotencyCases } from './idempotency.ts';
import { invoiceItemCases } from './invoice-items.ts';
import { invoiceCases } from './invoices.ts';
import { listCases } from './lists.ts';
import { mailCases } from './mails.ts';
import { accessChangeCases, deliveryNotificationCases } from './notifications.ts';
import { grantCases } from './oauth/grants.ts';
import { interactionCases } from './oauth/interactions.ts';
import { platformCases } from './oauth/platforms.ts';
import { parallelCases, processCases } from './parallel.ts';
import { clockedCases } from './payments/clocked.ts';
import { clockedListCases } from './payments/clocked-lists.ts';
import { correctionCases } from './payments/corrections.ts';
import { customerBalanceCases } from './payments/customer-balances.ts';
import { customerCases } from './payments/customers.ts';
import { disputeListCases } from './payments/dispute-lists.ts';
import { disputeCases } from './payments/disputes.ts';
import { erasureCases } from './payments/erasures.ts';
import { fileCases } from './payments/files.ts';
import { ledgerCases } from './payments/ledger.ts';
import { noticeCases } from './payments/notices.ts';
import { payoutCases } from './payments/payouts.ts';
import { reviewCases } from './payments/reviews.ts';
import { settlementCases } from './payments/settlements.ts';
import { testClockCases } from './payments/test-clocks.ts';
import { waitingNoticeCases } from './payments/waiting-notices.ts';
import { portCases } from './port.ts';
import { priceCases } from './prices.ts';
import { renewalReminderCases } from './renewal-reminders.ts';
import { retentionCases } from './retention.ts';
import {
  onStorageSetup,
  type StorageCases,
  type StorageFixtures,
  type StorageSetup,
} from './setup.ts';
import { stateCases } from './state.ts';
import { subscriptionCases } from './subscriptions.ts';

/** What every adapter must do. */
const DEMANDED = {
  ...portCases,
  ...changeCases,
  ...idempotencyCases,
  ...customerCases,
  ...customerBalanceCases,
  ...correctionCases,
  ...fileCases,
  ...priceCases,
  ...invoiceCases,
  ...invoiceItemCases,
  ...subscriptionCases,
  ...billingPeriodCases,
  ...dueSubscriptionCases,
  ...renewalReminderCases,
  ...billingDirectoryCases,
  ...listCases,
  ...ledgerCases,
  ...fanOutCases,
  ...concurrentEventCases,
  ...chosenCases,
  ...deliveryCases,
  ...endedAccessCases,
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
  ...waitingNoticeCases,
  ...payoutCases,
  ...disputeCases,
  ...disputeListCases,
  ...settlementCases,
  ...testClockCases,
  ...clockedCases,
  ...clockedListCases,
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
  const run = (test: (setup: StorageSetup) => Promise<void>) => async (): Promise<void> => {
    made ??= Promise.resolve(adapter());
    const migrated = await made;
    await migrated.migrate();
    await onStorageSetup(migrated, fixtures, test);
  };
  const lacking: StorageCases = {
    [`declares the same missing features as the suite: ${lacks.join(', ') || 'nothing'}`]: async (
      setup,
    ) => {
      assert.deepEqual((setup.adapter.lacks ?? []).toSorted(), [...lacks].sort());
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
