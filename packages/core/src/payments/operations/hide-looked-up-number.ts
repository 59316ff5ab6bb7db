import { hideNumberInResult } from './hide-number.ts';
import type { DebitedAccountPorts } from './open-debited-account.ts';
import { openDebitedAccount } from './open-debited-account.ts';
import type { Operation } from './operation.ts';
import type { SubjectLoaders } from './operation-subject.ts';
import type { CallResult } from './outcome.ts';

/** The shortest account number, also where spaces or hyphens stand between its characters. */
const NUMBER = /\d(?:[ -]?\d){3}/;

interface LookedUpPorts extends DebitedAccountPorts {
  readonly subjects: SubjectLoaders;
}

/**
 * What a look-up found, without the account number that an adapter may repeat in its message. The
 * number is opened only for a message that may have it; if it cannot be opened, the message is left
 * out instead.
 */
export async function hideLookedUpNumber(
  ports: LookedUpPorts,
  operation: Operation,
  found: CallResult | 'not_found',
): Promise<CallResult | 'not_found'> {
  if (found === 'not_found' || !('message' in found) || !NUMBER.test(found.message)) return found;
  try {
    return hideNumberInResult(found, await openNumber(ports, operation));
  } catch {
    return { ...found, message: 'The processor refused it.' };
  }
}

/** @returns an empty text if Paymount has no number to send */
async function openNumber(ports: LookedUpPorts, operation: Operation): Promise<string> {
  const { request } = await ports.subjects[operation.kind](operation, ports.storage.read);
  if ('openDestination' in request) return (await request.openDestination()).accountNumber;
  if (request.debits === undefined) return '';
  return (await openDebitedAccount(ports, operation, request.debits))?.accountNumber ?? '';
}
