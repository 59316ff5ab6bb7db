import type { AuditEntry, AuditFacts } from '../../changes/audit/audit.ts';
import type { AuditContext } from '../../kernel/callers/audit-context.ts';
import type { BankAccount } from './bank-account.ts';

/**
 * The audit row of a change of a bank account, by anybody: it decides where money goes.
 * @param by who changes it
 * @param audited `before` is absent for a new one; `reason` is an operator's
 */
export function bankAccountAudit(
  by: AuditContext,
  audited: {
    readonly action: 'create' | 'update' | 'delete' | 'confirm';
    readonly before?: BankAccount;
    readonly after: BankAccount;
    readonly at: Date;
    readonly reason?: string;
  },
): { readonly audit: AuditEntry } {
  const { action, before, after, at, reason } = audited;
  const { accountId, environment } = after;
  return {
    audit: {
      ...by,
      accountId,
      environment,
      action: `bank_account.${action}`,
      target: after.id,
      ...(before && { before: toFacts(before) }),
      ...(action !== 'delete' && { after: { ...toFacts(after), ...(reason && { reason }) } }),
      created: at,
    },
  };
}

/** The last four digits and the fingerprint name the number; the holder is personal data. */
function toFacts(account: BankAccount): AuditFacts {
  const { status, currency, country, last4, fingerprint, isDefault, heldUntil } = account;
  return {
    status,
    currency,
    country,
    last4,
    fingerprint,
    default_for_currency: isDefault,
    payouts_held_until: heldUntil?.toISOString() ?? null,
  };
}
