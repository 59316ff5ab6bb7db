import type { AreaStorage } from '../../changes/area-storage.ts';
import { parseId } from '../../kernel/basics/id.ts';
import type { NoticeStorage } from '../notices/notice-storage.ts';
import type { Operation } from '../operations/operation.ts';
import type { SubjectChange } from '../operations/operation-change.ts';
import type { OperationStorage } from '../operations/operation-storage.ts';
import type { LockedOperation } from '../operations/operation-subject.ts';
import { lockRoot } from './lock-root.ts';
import type { PaymentRepositories, PaymentStorage } from './payment-storage.ts';
import type { SubjectLoaders, SubjectReaders } from './subject-loaders.ts';

/** How operations find and lock what they are about; areas above payments add what follows from it. */
export interface Subjects<Read = SubjectReaders, Rows = PaymentRepositories> {
  readonly loaders: SubjectLoaders<Read>;
  /** Locks all that the result of an operation changes, before any other lock. */
  readonly lock: (rows: Rows, operation: Operation) => Promise<void>;
}

type SubjectStorage<Read, Rows extends PaymentRepositories> = AreaStorage<Read, Rows> &
  Pick<PaymentStorage, 'operations'>;

/** The subjects of payments alone. */
export function paymentSubjects(loaders: SubjectLoaders): Subjects {
  return { loaders, lock: lockRoot };
}

/** The storage of payments as operations use it: with the subject of each. */
export function operationStorage<Read, Rows extends PaymentRepositories & Read>(
  storage: SubjectStorage<NoInfer<Read>, NoInfer<Rows>>,
  { loaders, lock }: Subjects<Read, Rows>,
): OperationStorage<SubjectChange> {
  const lockedIn = async (
    rows: Rows,
    operation: Operation,
  ): Promise<LockedOperation<SubjectChange>> => {
    await lock(rows, operation);
    const { operations, changes } = rows;
    return { operations, changes, load: (fresh) => loaders[fresh.kind](fresh, rows) };
  };
  return {
    operations: storage.operations,
    changes: storage.changes,
    load: (operation) => loaders[operation.kind](operation, storage.read),
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

/** The storage of payments as notices use it: with the subjects of the operations that they are about. */
export function noticeStorage<Read, Rows extends PaymentRepositories & Read>(
  storage: Pick<SubjectStorage<NoInfer<Read>, NoInfer<Rows>>, 'transaction'>,
  { loaders, lock }: Subjects<Read, Rows>,
): NoticeStorage {
  return {
    transaction: (work) =>
      storage.transaction((rows) =>
        work({
          ...rows,
          lockRoot: (operation) => lock(rows, operation),
          load: (operation) => loaders[operation.kind](operation, rows),
        }),
      ),
  };
}

/** Who confirms a bank account, or makes it the default, waits until the payout is sent or postponed. */
async function lockDestination(rows: PaymentRepositories, operation: Operation): Promise<void> {
  const payoutId = parseId('po', operation.subjectId);
  const payout = payoutId && (await rows.payouts.find(operation, payoutId));
  if (payout) await rows.bankAccounts.findForUpdate(payout, payout.destinationId);
}
