import type { AuditEntry } from '../../changes/audit/audit.ts';
import { ownerOf } from '../../kernel/callers/call.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import type { Refund } from './refund.ts';

/**
 * The audit row of a new refund.
 * @returns nothing for calls without an audit row: those of programs
 */
export function refundAudit(
  call: Call,
  { id, chargeId, amount, currency, reason, created }: Refund,
): { readonly audit?: AuditEntry } {
  if (call.audit === undefined) return {};
  const after = { charge: chargeId, amount, currency, reason };
  return {
    audit: { ...call.audit, ...ownerOf(call), action: 'refund.create', target: id, after, created },
  };
}
