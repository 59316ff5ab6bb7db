import type {
  OperationKind,
  Outcome,
  PayoutOperation,
  ProcessorOperation,
} from '@paymount/core/payments';
import type { Executed } from './executed.ts';
import { findBankAccount } from './test-bank-accounts.ts';
import { bankAccountOf, debitName } from './test-bank-debits.ts';
import { findCardByName, findCardByToken } from './test-cards.ts';
import { tokenWithoutSerial } from './turns.ts';

/** A request to move money. */
export type Submission = ProcessorOperation | PayoutOperation;

/** Begins every reference of the sandbox. */
export const REFERENCE_PREFIX = 'sandbox_';

/** Whether the answer to the first submission never comes. */
export function isSilent(executed: Executed): boolean {
  const behavior = chargeBehavior(executed);
  return behavior === 'approve_silently' || behavior === 'decline_silently';
}

/** What a card does, or a bank account of the same name. */
export function chargeBehavior({ card }: Executed) {
  return findCardByName(bankAccountOf(card) ?? card)?.charge.does;
}

/** The name of the test card or bank account of a request. */
export function nameIn(operation: Submission): string | undefined {
  if ('destination' in operation) {
    return findBankAccount(operation.destination.accountNumber)?.name;
  }
  const { bankAccount, processorToken: token } = operation.paymentMethod;
  const processorToken = tokenWithoutSerial(token);
  const method = { processorToken, ...(bankAccount && { bankAccount }) };
  return debitName(method) ?? findCardByToken(processorToken)?.name;
}

/** What a processor refuses without executing it. */
export function refuse(kind: OperationKind, operation: Submission): Outcome | undefined {
  if (nameIn(operation) === undefined) {
    const noun = 'destination' in operation ? 'bank account' : 'card';
    return rejected(`The sandbox does not know this ${noun}.`);
  }
  if ('destination' in operation) return undefined;
  const previous = operation.previous?.processorReference;
  if (kind !== 'authorize' && !previous?.startsWith(REFERENCE_PREFIX)) {
    return rejected(`There is nothing at the sandbox to ${kind}.`);
  }
  return undefined;
}

function rejected(message: string): Outcome {
  return { outcome: 'rejected', code: 'processing_error', message };
}
