import type { Owner } from '../../kernel/basics/environment.ts';
import type { BankAccountId } from '../../kernel/basics/id.ts';
import { missing } from '../../kernel/errors/missing.ts';
import type { BankAccount } from './bank-account.ts';
import type { BankAccountRepositories } from './bank-account-storage.ts';

/**
 * Locks a bank account, and makes the schedule of its currency due. A worker locks the run of a schedule
 * before its bank account, so the run comes first here too.
 * @throws PaymountError `resource_missing`
 */
export async function lockDestinationOfRun(
  rows: Pick<BankAccountRepositories, 'bankAccounts' | 'payoutRuns'>,
  owner: Owner,
  id: BankAccountId,
  at: Date,
): Promise<BankAccount> {
  const known = await rows.bankAccounts.find(owner, id);
  if (known === undefined) throw missing('bank account', id);
  const { environment, currency } = known;
  await rows.payoutRuns.wake(owner.accountId, at, { environment, currency });
  return (await rows.bankAccounts.findForUpdate(owner, id)) ?? known;
}
