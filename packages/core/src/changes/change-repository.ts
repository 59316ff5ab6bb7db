import type { Change, ChangeResult } from './change.ts';

/** What else happens in the transaction of a change. */
export interface ChangePlace {
  /**
   * Nothing follows the change, and the caller rolls the transaction back unless it is applied. So storage need not
   * keep the transaction usable. @defaultValue false
   */
  readonly isLast?: boolean;
}

/** Commits a change whole, or nothing of it. */
export interface ChangeRepository<Of extends Change<unknown>> {
  /**
   * @throws `HookError` if the host's hook threw, or is in use but missing in this process
   * @throws PaymountError `operation_in_progress` if the object has an unresolved operation,
   *   `resource_missing` if it inserts rows of an account that does not exist
   */
  apply(change: Of, place?: ChangePlace): Promise<ChangeResult>;
}
