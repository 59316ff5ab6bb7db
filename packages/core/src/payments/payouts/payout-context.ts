import { parseId } from '../../kernel/basics/id.ts';
import type { BankAccount } from '../bank-accounts/bank-account.ts';
import type { Operation } from '../operations/operation.ts';
import type { Payout } from './payout.ts';
import type { PayoutAccount } from './payout-account.ts';
import type { PayoutReaders } from './payout-storage.ts';

/** A payout with all objects that its result changes, read together. */
export interface PayoutContext {
  readonly payout: Payout;
  readonly destination: BankAccount;
  readonly account: PayoutAccount | undefined;
}

/** Reads a payout with all objects that its result changes; the guards of the change detect races. */
export async function loadPayout(
  read: PayoutReaders,
  operation: Operation,
): Promise<PayoutContext> {
  const payoutId = parseId('po', operation.subjectId);
  const payout = payoutId && (await read.payouts.find(operation, payoutId));
  if (payout === undefined) throw new Error(`Operation ${operation.id} has lost its payout.`);
  const destination = await read.bankAccounts.find(payout, payout.destinationId);
  if (destination === undefined) throw new Error(`Payout ${payout.id} has lost its bank account.`);
  return { payout, destination, account: await read.payoutAccounts.find(payout.accountId) };
}
