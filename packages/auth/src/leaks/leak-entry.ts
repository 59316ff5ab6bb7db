import type { AuditContext, AuditEntry, Leak } from '@paymount/core';

/** What every audit row about a leak begins with. */
export function entryFor(
  { id, accountId, environment }: Leak,
  by: AuditContext,
  now: Date,
): Omit<AuditEntry, 'action'> {
  return { ...by, accountId, environment, target: id, created: now };
}
