import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type OperationId, parseId } from '@paymount/core/kernel';
import type { OperationMemoryRepository, ProcessorOperation } from '@paymount/core/payments';

/**
 * What the charges of one payment method do, one after another: the first acts as the first name, and all
 * after the last name as that one. So a renewal can fail although the first charge was paid. Names of bank
 * accounts are those by which debits are remembered.
 */
const TURNS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  declined_from_charge_2: ['visa', 'visa_chargeDeclinedInsufficientFunds'],
  lost_from_charge_2: ['visa', 'visa_chargeDeclinedLostCard'],
  expired_from_charge_2: ['visa', 'chargeDeclinedExpiredCard'],
  recovers_on_charge_3: ['visa', 'visa_chargeDeclinedInsufficientFunds', 'visa'],
  usBankAccount_returned_from_charge_2: [
    'usBankAccount_success',
    'usBankAccount_insufficientFunds',
  ],
};

/** What a charge does when the payer is absent, and cannot authenticate. */
const OFF_SESSION: Readonly<Record<string, string>> = {
  authentication_required_off_session: 'authenticationRequired',
};

/** Separates the name in a token from the serial number of the payment method. */
const SEPARATOR = ':';
/** Begins what is remembered about a turn, in place of an operation. */
const TURN = 'op_0000000000';
const DIGEST_LENGTH = 16;

/** Whether charges of it are counted, so that each payment method of it needs a token of its own. */
export function isCounted(name: string): boolean {
  return Object.hasOwn(TURNS, name);
}

/**
 * The token of a payment method.
 * @param token that names the card or bank account
 * @param serial of the payment method; its charges are counted
 */
export function tokenWithSerial(token: string, serial: string): string {
  return `${token}${SEPARATOR}${serial}`;
}

/** The token that names the card or bank account. */
export function tokenWithoutSerial(token: string): string {
  return token.split(SEPARATOR)[0] ?? '';
}

/**
 * The name of the card or bank account as which a charge acts. The sandbox remembers this name, so that every
 * later answer about the charge follows from its record. A charge that is submitted again keeps its turn.
 */
export async function actingName(
  name: string,
  { operationId, offSession, paymentMethod }: ProcessorOperation,
  memory: OperationMemoryRepository,
): Promise<string> {
  const absent = offSession === true ? OFF_SESSION[name] : undefined;
  if (absent !== undefined) return absent;
  const turns = TURNS[name];
  if (turns === undefined) return name;
  const [first] = turns;
  let acting: string = first;
  for (const [index, turn] of turns.entries()) {
    acting = turn;
    const taken = await memory.remember(turnKey(paymentMethod.processorToken, index), operationId);
    if (taken === operationId) break;
  }
  return acting;
}

/**
 * The first operation that is remembered under this key has the turn, also if two processes try at once. No
 * operation has such an id: it would have been made at the beginning of 1970.
 */
function turnKey(token: string, index: number): OperationId {
  const digest = createHash('sha256').update(`${token} ${index}`).digest('hex');
  const key = parseId('op', TURN + digest.slice(0, DIGEST_LENGTH));
  assert(key !== undefined, 'The key of a turn has the form of an id.');
  return key;
}
