import { ownerOf } from '../../kernel/callers/call.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import type { AuditEntry } from './audit.ts';

/**
 * The audit row of a change by an admin or a user, with the reason if one was asked for.
 * @returns nothing for calls without an audit row: those of programs
 */
export function auditOfCall(
  call: Call,
  entry: Pick<AuditEntry, 'action' | 'target' | 'before' | 'after' | 'created'>,
): { readonly audit?: AuditEntry } {
  if (call.audit === undefined) return {};
  const after = call.reason === undefined ? entry.after : { ...entry.after, reason: call.reason };
  return { audit: { ...call.audit, ...ownerOf(call), ...entry, ...(after && { after }) } };
}
