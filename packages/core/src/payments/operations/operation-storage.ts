import type { ChangeRepository } from '../../changes/change-repository.ts';
import type { Operation } from './operation.ts';
import type { OperationChange, SubjectChange } from './operation-change.ts';
import type { OperationQueue } from './operation-repository.ts';
import type { LockedOperation, Subject } from './operation-subject.ts';

/** Where results of operations are recorded, each with its subject. */
export interface OperationStorage<Of extends SubjectChange> {
  readonly operations: OperationQueue;
  readonly changes: ChangeRepository<Of | OperationChange>;
  /** Reads the subject outside of transactions. Throws if it does not exist, which is a bug. */
  load(operation: Operation): Promise<Subject<Of>>;
  /**
   * Runs `work` in one transaction that has locked the root of the operation before anything else, so
   * that two callers who record its result take turns instead of racing.
   */
  locked<Result>(
    operation: Operation,
    work: (rows: LockedOperation<Of>) => Promise<Result>,
  ): Promise<Result>;
  /**
   * The same, and what decides whether the operation may still be sent is locked too.
   * @returns undefined, without running `work`, for an operation that nothing can withhold
   */
  lockedToSend<Result>(
    operation: Operation,
    work: (rows: LockedOperation<Of>) => Promise<Result>,
  ): Promise<Result> | undefined;
}
