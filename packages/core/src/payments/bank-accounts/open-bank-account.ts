import type { Sealer } from '../../kernel/secrets/sealer.ts';
import type { BankDestination } from '../processor/processor.ts';
import { type BankAccount, numberContext } from './bank-account.ts';

/**
 * A bank account with its number, to send a payout there.
 * @throws PaymountError `unavailable` if the sealing keys cannot be reached right now
 * @throws Error if the bank account is deleted
 */
export async function openBankAccount(
  account: BankAccount,
  sealer: Pick<Sealer, 'open'>,
): Promise<BankDestination> {
  if (account.status === 'deleted') throw new Error(`Bank account ${account.id} is deleted.`);
  const { country, currency, routingNumber, accountHolderName, accountHolderType } = account;
  const accountNumber = await sealer.open(account.number.sealed, numberContext(account.id));
  return {
    country,
    currency,
    accountNumber,
    routingNumber,
    accountHolderName,
    accountHolderType,
  };
}
