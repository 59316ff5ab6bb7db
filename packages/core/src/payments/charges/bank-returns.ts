import type { ErrorCode } from '../../kernel/errors/error-codes.ts';
import { isErrorCode } from '../../kernel/errors/error-codes.ts';
import type { MethodBlock } from '../payment-methods/payment-method.ts';

/** Why a bank returns a debit, in the words for reasons of disputes: after clearing it becomes one. */
type ReturnReason =
  | 'bank_cannot_process'
  | 'debit_not_authorized'
  | 'incorrect_account_details'
  | 'insufficient_funds';

/** What a bank says when it returns a debit. */
interface BankReturn {
  readonly code: ErrorCode;
  /** Ends the sentence "The bank returned the debit: ...". */
  readonly because: string;
  /** The reason of the dispute that a return after clearing becomes. */
  readonly reason: ReturnReason;
  /** No further debit of the bank account is allowed. */
  readonly blocks?: true;
}

const FUNDS = { code: 'insufficient_funds', reason: 'insufficient_funds' } as const;
const BLOCKED = { reason: 'incorrect_account_details', blocks: true } as const;
const UNAUTHORIZED = {
  code: 'debit_not_authorized',
  reason: 'debit_not_authorized',
  blocks: true,
} as const;
const RESTRICTED = {
  code: 'bank_account_restricted',
  reason: 'bank_cannot_process',
  blocks: true,
} as const;
const WRONG_ROUTING = {
  code: 'routing_number_invalid',
  reason: 'incorrect_account_details',
} as const;
/** The entry was wrong, or the bank could not process it: that says nothing about the account. */
const UNPROCESSED = { code: 'bank_account_declined', reason: 'bank_cannot_process' } as const;

/**
 * Every code with which a bank returns a debit. Codes of other kinds of entries (checks, enrollments, and
 * returns of returns) are missing: a debit is never returned with one.
 *
 * After a return for another reason than missing funds, the account may not be debited again until its
 * holder has corrected the cause. Such returns block the payment method: those for which Stripe blocks a
 * bank account (https://docs.stripe.com/payments/ach-direct-debit/blocked-bank-accounts), and the death of
 * the holder. Source: Nacha Operating Rules, Appendix Four.
 */
const BANK_RETURNS: Readonly<Record<string, BankReturn>> = {
  R01: { ...FUNDS, because: 'the account has insufficient funds' },
  R02: { ...BLOCKED, code: 'account_closed', because: 'the account is closed' },
  R03: { ...BLOCKED, code: 'no_account', because: 'the bank cannot find the account' },
  R04: { ...BLOCKED, code: 'bank_account_unusable', because: 'the account number is invalid' },
  R05: { ...UNAUTHORIZED, because: 'a company debit of a consumer account was not authorized' },
  R06: { ...UNPROCESSED, because: 'the bank that sent it asked for its return' },
  R07: { ...UNAUTHORIZED, because: 'the holder revoked the authorization' },
  R08: { ...UNAUTHORIZED, because: 'the holder stopped the payment' },
  R09: { ...FUNDS, because: 'the funds of the account are not collected yet' },
  R10: { ...UNAUTHORIZED, because: 'the holder says it was not authorized' },
  R11: { ...UNAUTHORIZED, because: 'the holder says it differs from the authorization' },
  R12: { ...WRONG_ROUTING, because: 'the account was moved to another bank' },
  R13: { ...WRONG_ROUTING, because: 'the bank of the routing number takes no such payments' },
  R14: { ...RESTRICTED, because: 'the representative of the holder has died' },
  R15: { ...RESTRICTED, because: 'the holder of the account has died' },
  R16: { ...RESTRICTED, because: 'the account is frozen' },
  R17: { ...UNPROCESSED, because: 'the entry has invalid fields, or is suspected of fraud' },
  R18: { ...UNPROCESSED, because: 'the date of the entry is invalid' },
  R19: { ...UNPROCESSED, because: 'the amount of the entry is invalid' },
  R20: { ...BLOCKED, code: 'bank_account_unusable', because: 'the account takes no debits' },
  R21: { ...UNPROCESSED, because: 'the id of the company that debits is invalid' },
  R22: { ...UNPROCESSED, because: 'the bank does not know the id of the payer' },
  R23: { ...UNPROCESSED, because: 'the holder refused the entry' },
  R24: { ...UNPROCESSED, because: 'the bank takes it for a duplicate' },
  R25: { ...UNPROCESSED, because: 'an addendum of the entry is invalid' },
  R26: { ...UNPROCESSED, because: 'a mandatory field of the entry is invalid' },
  R27: { ...UNPROCESSED, because: 'the trace number of the entry is missing' },
  R28: { ...WRONG_ROUTING, because: 'the routing number is wrong' },
  R29: { ...UNAUTHORIZED, because: 'the company that holds the account did not authorize it' },
  R31: { ...UNAUTHORIZED, because: 'the company that holds the account asked for its return' },
  R32: { ...UNPROCESSED, because: 'the bank cannot settle the entry' },
  R34: { ...WRONG_ROUTING, because: 'the bank may take part in such payments only in part' },
  R35: { ...UNPROCESSED, because: 'the account takes no debits of this kind' },
};

/** A return that is not in the table, and a refusal with a code of the processor's own. */
const OTHER: BankReturn = { ...UNPROCESSED, because: 'for a reason of its own' };

/** Any return code, also one without a meaning of its own. */
const RETURN_CODE = /^R\d\d$/;

/** Whether a text has the form of a return code. Adapters' answers have it in upper case. */
export function isReturnCode(text: string): boolean {
  return RETURN_CODE.test(text);
}

/** What a bank or processor said about a debit, in the words of the error table. */
export interface DebitRefusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly reason: ReturnReason;
  /** The code of the return; absent if no bank returned it. */
  readonly returnCode?: string;
}

/**
 * Reads the refusal of a bank debit: the return code decides, then the code of the adapter.
 * @param said what the adapter said; its code may be in no table
 */
export function toDebitRefusal(said: {
  readonly code: string;
  readonly message: string;
  readonly returnCode?: string;
}): DebitRefusal {
  const { returnCode } = said;
  if (returnCode !== undefined && isReturnCode(returnCode)) {
    const { code, because, reason } = BANK_RETURNS[returnCode] ?? OTHER;
    const message = `The bank returned the debit: ${because} (${returnCode}).`;
    return { code, message, reason, returnCode };
  }
  const code = isErrorCode(said.code) ? said.code : OTHER.code;
  const known = Object.values(BANK_RETURNS).find((each) => each.code === code);
  return { code, message: said.message, reason: known?.reason ?? OTHER.reason };
}

/** Why a return blocks its bank account; undefined if it does not. */
export function toBlock({ code, returnCode }: DebitRefusal): MethodBlock | undefined {
  if (returnCode === undefined || !BANK_RETURNS[returnCode]?.blocks) return undefined;
  return { reason: code, networkCode: returnCode };
}
