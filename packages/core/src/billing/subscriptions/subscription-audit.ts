import type { AuditAction, AuditEntry, AuditFacts } from '../../changes/audit/audit.ts';
import { auditOfCall } from '../../changes/audit/audit-of-call.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import type { Subscription } from './subscription.ts';

/**
 * The audit row of a change of a subscription.
 * @param action undefined: admins do not do it
 * @returns nothing for calls without an audit row: those of programs
 */
export function subscriptionAudit(
  call: Call,
  action: AuditAction | undefined,
  {
    before,
    after,
    at,
  }: {
    readonly before: Subscription | undefined;
    readonly after: Subscription;
    readonly at: Date;
  },
): { readonly audit?: AuditEntry } {
  if (action === undefined || before === undefined) return {};
  return auditOfCall(call, {
    action,
    target: after.id,
    before: toFacts(before),
    after: toFacts(after),
    created: at,
  });
}

function toFacts({
  status,
  cancelAt,
  cancelAtPeriodEnd,
  latestInvoiceId,
}: Subscription): AuditFacts {
  return {
    status,
    cancel_at: cancelAt?.toISOString() ?? null,
    cancel_at_period_end: cancelAtPeriodEnd,
    latest_invoice: latestInvoiceId,
  };
}
