import { parseId } from '../../kernel/basics/id.ts';
import type { Operation } from '../operations/operation.ts';
import type { OperationStorage } from '../operations/operation-storage.ts';
import type { LockedOperation } from '../operations/operation-subject.ts';
import { lockRoot } from './lock-root.ts';
import type { PaymentRepositories, PaymentStorage } from './payment-storage.ts';
import type { ResultChange, SubjectLoaders } from './subject-loaders.ts';

/** The storage of payments as operations use it: with the subject of each. */
export function operationStorage(
  storage: PaymentStorage,
  subjects: SubjectLoaders,
): OperationStorage<ResultChange> {
  type Locked = LockedOperation<ResultChange>;
  const lockedIn = async (rows: PaymentRepositories, operation: Operation): Promise<Locked> => {
    await lockRoot(rows, operation);
    const { operations, changes } = rows;
    return { operations, changes, load: (fresh) => subjects[fresh.kind](fresh, rows) };
  };
  return {
    operations: storage.operations,
    changes: storage.changes,
    load: (operation) => subjects[operation.kind](operation, storage.read),
    locked: (operation, work) =>
      storage.transaction(async (rows) => work(await lockedIn(rows, operation))),
    lockedToSend(operation, work) {
      if (operation.kind !== 'payout') return undefined;
      return storage.transaction(async (rows) => {
        // A suspension that has not committed yet is waited for; a later one waits for this commit.
        await rows.payoutAccounts.findForUpdate(operation.accountId);
        const locked = await lockedIn(rows, operation);
        await lockDestination(rows, operation);
        return work(locked);
      });
    },
  };
}

/** Who confirms a bank account, or makes it the default, waits until the payout is sent or postponed. */
async function lockDestination(rows: PaymentRepositories, operation: Operation): Promise<void> {
  const payoutId = parseId('po', operation.subjectId);
  const payout = payoutId && (await rows.payouts.find(operation, payoutId));
  if (payout) await rows.bankAccounts.findForUpdate(payout, payout.destinationId);
}
