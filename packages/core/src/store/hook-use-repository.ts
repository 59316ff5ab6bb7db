import type { AuditEntry } from '../changes/audit/audit.ts';

/**
 * Whether a hook is in use in the installation. While it is, a process that was opened without one
 * records no result: a change with `settled` throws a `HookError` with `isMissing`, and `claimDue`
 * leaves operations with a known outcome to other processes.
 */
export interface HookUseRepository {
  /** Records that a hook is in use. Safe to call twice. */
  begin(): Promise<boolean>;
  /** Since when, by the store's own time; undefined if no hook is in use. */
  since(): Promise<Date | undefined>;
  /** Records that no hook is in use any more, with the audit entry. @returns whether one was */
  end(entry: AuditEntry): Promise<boolean>;
}
