import type { Change } from '../../changes/change.ts';
import type { ChangeRepository } from '../../changes/change-repository.ts';
import { applyIn } from '../../changes/commit.ts';
import type { AuditContext } from '../../kernel/callers/audit-context.ts';
import type { LiveBankAccount } from './bank-account.ts';
import { bankAccountAudit } from './bank-account-audit.ts';
import type { DestinationRepository } from './bank-account-repository.ts';
import type { BankAccountWrite } from './bank-account-storage.ts';

/** Bound to one transaction. */
interface Rows {
  readonly payouts: Pick<DestinationRepository, 'sendUnsentTo'>;
  readonly changes: ChangeRepository<Change<BankAccountWrite>>;
}

/** Who ends a hold, and what is committed with it. */
interface EndedHold {
  readonly at: Date;
  /** Absent: no audit row is written. */
  readonly by: AuditContext | undefined;
  /** An operator's. */
  readonly reason?: string;
  /** The claim and the stored answer of the call. */
  readonly fields?: Pick<Change, 'claim' | 'response'>;
}

/**
 * Ends the hold of a bank account, with the audit row: payouts that wait for it are sent at once. Call
 * it with the row of the bank account locked.
 */
export async function endHold(
  rows: Rows,
  account: LiveBankAccount,
  { at, by, reason, fields }: EndedHold,
): Promise<LiveBankAccount> {
  const { accountId, environment, id } = account;
  const row: LiveBankAccount = { ...account, version: account.version + 1, heldUntil: null };
  const audited = {
    action: 'confirm',
    before: account,
    after: row,
    at,
    ...(reason && { reason }),
  } as const;
  await applyIn(rows, {
    accountId,
    environment,
    at,
    writes: [{ kind: 'bank_account', mode: 'update', row }],
    ...fields,
    ...(by && bankAccountAudit(by, audited)),
  });
  await rows.payouts.sendUnsentTo({ accountId, environment }, id, at);
  return row;
}
