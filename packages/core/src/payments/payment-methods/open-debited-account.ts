import type { Owner } from '../../kernel/basics/environment.ts';
import type { PaymentMethodId } from '../../kernel/basics/id.ts';
import { isError } from '../../kernel/errors/is-error.ts';
import type { Sealer } from '../../kernel/secrets/sealer.ts';
import { NotSentError } from '../processor/processor.ts';
import type { DebitedAccount } from '../processor/tokenization.ts';
import { debitNumberContext } from './payment-method.ts';
import type { PaymentMethodReader } from './payment-method-repository.ts';

/** Of a bank debit: the payment method, whose number is opened only to send it, and its holder. */
export interface DebitedMethod {
  readonly paymentMethodId: PaymentMethodId;
  readonly accountHolderName: string | null;
}

/** What opens the number of a bank account. */
export interface DebitedAccountPorts {
  readonly read: { readonly paymentMethods: Pick<PaymentMethodReader, 'find'> };
  readonly sealer: Pick<Sealer, 'open'>;
}

/**
 * The bank account of a payment method with its number, to send a debit or its refund.
 * @returns undefined if the processor keeps the number
 * @throws NotSentError if the number cannot be opened right now
 */
export async function openDebitedAccount(
  { read, sealer }: DebitedAccountPorts,
  owner: Owner,
  { paymentMethodId, accountHolderName }: DebitedMethod,
): Promise<DebitedAccount | undefined> {
  const method = await read.paymentMethods.find(owner, paymentMethodId);
  if (method?.type !== 'us_bank_account' || method.number === undefined) return undefined;
  const { routingNumber, accountType, accountHolderType } = method.usBankAccount;
  return {
    accountNumber: await open(sealer, method.number.sealed, method.processorToken),
    routingNumber,
    accountType,
    accountHolderType,
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
