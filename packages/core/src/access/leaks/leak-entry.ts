import type { AuditEntry } from '../../changes/audit/audit.ts';
import type { AuditContext } from '../../kernel/callers/audit-context.ts';
import type { Leak } from './leak.ts';

/** The common fields of audit rows about a leak. */
export function entryFor(
  { id, accountId, environment }: Leak,
  by: AuditContext,
  now: Date,
): Omit<AuditEntry, 'action'> {
  return { ...by, accountId, environment, target: id, created: now };
}
