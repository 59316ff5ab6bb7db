import { applyIn } from '../../changes/commit.ts';
import { resourceFields } from '../../changes/idempotency/idempotency-fields.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { BankAccountId } from '../../kernel/basics/id.ts';
import { auditContextFor, ownerOf } from '../../kernel/callers/call.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { missing } from '../../kernel/errors/missing.ts';
import type { LiveBankAccount } from './bank-account.ts';
import { toBankAccountResource } from './bank-account-resource.ts';
import type { BankAccountStorage } from './bank-account-storage.ts';
import { endHold } from './end-hold.ts';
import { heldUntil } from './held-destination.ts';
import { lockDestinationOfRun } from './lock-destination-of-run.ts';

/**
 * Ends the hold of a bank account: payouts that wait for it are sent at once. One that is not held
 * stays as it is. Only for callers who have proved that they are the owner, and for operators, who give
 * a reason; not for keys.
 * @throws PaymountError `resource_missing`, also for a deleted one
 */
export async function confirmBankAccount(
  {
    storage,
    clock,
  }: { readonly storage: Pick<BankAccountStorage, 'transaction'>; readonly clock: Clock },
  call: Call,
  id: BankAccountId,
  { reason }: { readonly reason?: string } = {},
): Promise<LiveBankAccount> {
  const owner = ownerOf(call);
  return storage.transaction(async (rows) => {
    const at = clock.now();
    const account = await lockDestinationOfRun(rows, owner, id, at);
    if (account.status === 'deleted') throw missing('bank account', id);
    if (heldUntil(account, undefined, at) === undefined) {
      const answer = resourceFields(call, toBankAccountResource(account));
      await applyIn(rows, { ...owner, at, writes: [], ...answer });
      return account;
    }
    const confirmed = { ...account, heldUntil: null };
    return endHold(rows, account, {
      at,
      by: auditContextFor(call),
      ...(reason !== undefined && { reason: reason.trim() }),
      fields: resourceFields(call, toBankAccountResource(confirmed)),
    });
  });
}
