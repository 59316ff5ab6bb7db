import type { Operation } from '../operations/operation.ts';
import type { Subject } from '../operations/operation-subject.ts';

/** What operations are about, in one transaction. */
export interface ReportedSubjects {
  /** Locks all that notices about an operation change, before any other lock. */
  lockRoot(operation: Operation): Promise<void>;
  /** Reads what an operation is about. Throws if it does not exist, which is a bug. */
  load(operation: Operation): Promise<Subject>;
}
