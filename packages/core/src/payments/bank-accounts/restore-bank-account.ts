import { applyIn } from '../../changes/commit.ts';
import { resourceFields } from '../../changes/idempotency/idempotency-fields.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { BankAccountId } from '../../kernel/basics/id.ts';
import { ownerOf } from '../../kernel/callers/call.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { type BankAccount, type LiveBankAccount, restored } from './bank-account.ts';
import { toBankAccountResource } from './bank-account-resource.ts';
import type { BankAccountStorage } from './bank-account-storage.ts';
import { lockDestinationOfRun } from './lock-destination-of-run.ts';

/**
 * Lets payouts go to an errored bank account again, with the audit row, and makes its schedule due.
 * @throws PaymountError `resource_missing`, `status_transition_invalid` unless it is `errored`
 */
export async function restoreBankAccount(
  {
    storage,
    clock,
  }: { readonly storage: Pick<BankAccountStorage, 'transaction'>; readonly clock: Clock },
  call: Call,
  id: BankAccountId,
): Promise<LiveBankAccount> {
  const owner = ownerOf(call);
  return storage.transaction(async (rows) => {
    const at = clock.now();
    const account = await lockDestinationOfRun(rows, owner, id, at);
    if (account.status !== 'errored') throw notErrored(account);
    const row = restored(account);
    const { failureCode: code, failureMessage: message } = account;
    const { audit } = call;
    await applyIn(rows, {
      ...owner,
      at,
      writes: [{ kind: 'bank_account', mode: 'update', row }],
      ...resourceFields(call, toBankAccountResource(row)),
      ...(audit && {
        audit: {
          ...audit,
          ...owner,
          action: 'bank_account.restore',
          target: id,
          created: at,
          before: { status: 'errored', failure_code: code, failure_message: message },
          after: { status: 'new' },
        },
      }),
    });
    return row;
  });
}

function notErrored({ id, status }: BankAccount): PaymountError {
  return new PaymountError(
    'status_transition_invalid',
    `Bank account ${id} is ${status}; only an errored one can be restored.`,
  );
}
