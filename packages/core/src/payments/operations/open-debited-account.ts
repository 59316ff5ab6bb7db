import type { Owner } from '../../kernel/basics/environment.ts';
import { isError } from '../../kernel/errors/is-error.ts';
import type { Sealer } from '../../kernel/secrets/sealer.ts';
import { debitNumberContext } from '../payment-methods/payment-method.ts';
import type { PaymentStorage } from '../payment-storage.ts';
import type { DebitedMethod } from './operation-subject.ts';
import { NotSentError } from './processor.ts';
import type { DebitedAccount } from './tokenization.ts';

/** What opens the number of a bank account. */
export interface DebitedAccountPorts {
  readonly storage: Pick<PaymentStorage, 'read'>;
  readonly sealer: Pick<Sealer, 'open'>;
}

/**
 * The bank account of a payment method with its number, to send a debit or its refund.
 * @returns undefined if the processor keeps the number
 * @throws NotSentError if the number cannot be opened right now
 */
export async function openDebitedAccount(
  { storage, sealer }: DebitedAccountPorts,
  owner: Owner,
  { paymentMethodId, accountHolderName }: DebitedMethod,
): Promise<DebitedAccount | undefined> {
  const method = await storage.read.paymentMethods.find(owner, paymentMethodId);
  if (method?.type !== 'us_bank_account' || method.number === undefined) return undefined;
  const { routingNumber, accountType, accountHolderType } = method.usBankAccount;
  return {
    accountNumber: await open(sealer, method.number.sealed, method.processorToken),
    ...{ routingNumber, accountType, accountHolderType },
    ...(accountHolderName === null ? {} : { accountHolderName }),
  };
}

async function open(
  sealer: Pick<Sealer, 'open'>,
  sealed: string,
  processorToken: string,
): Promise<string> {
  try {
    return await sealer.open(sealed, debitNumberContext(processorToken));
  } catch (error) {
    const cause = isError(error) ? error : undefined;
    throw new NotSentError('The number of the bank account cannot be opened.', { cause });
  }
}
