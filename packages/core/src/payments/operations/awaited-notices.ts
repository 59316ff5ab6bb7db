import type { Id } from '../../kernel/basics/id.ts';

/** Notices that wait for something else to be recorded. Bound to one transaction. */
export interface AwaitedNotices {
  /**
   * Makes the notices due now that wait for another notice about this root; those too that a person
   * looks at because their schedule ended. The try is not counted. Those that another transaction tries
   * just now are left out: it waits for no lock.
   */
  hasten(rootId: Id<string>): Promise<void>;
}
