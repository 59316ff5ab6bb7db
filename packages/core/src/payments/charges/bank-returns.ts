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

const UNAUTHORIZED = {
  code: 'debit_not_authorized',
  reason: 'debit_not_authorized',
  blocks: true,
} as const;
const NO_FUNDS = { code: 'insufficient_funds', reason: 'insufficient_funds' } as const;
const UNUSABLE = { code: 'bank_account_unusable', reason: 'incorrect_account_details' } as const;

/** The returns with a meaning of their own. Source: Nacha Operating Rules, Appendix Four. */
const BANK_RETURNS: Readonly<Record<string, BankReturn>> = {
  R01: { ...NO_FUNDS, because: 'the account has insufficient funds' },
  R02: {
    code: 'account_closed',
    reason: 'incorrect_account_details',
    because: 'the account is closed',
  },
  R03: {
    code: 'no_account',
    reason: 'incorrect_account_details',
    because: 'the bank cannot find the account',
  },
  R04: { ...UNUSABLE, because: 'the account number is invalid' },
  R05: { ...UNAUTHORIZED, because: 'a company debit of a consumer account was not authorized' },
  R07: { ...UNAUTHORIZED, because: 'the holder revoked the authorization' },
  R09: { ...NO_FUNDS, because: 'the funds of the account are not collected yet' },
  R10: { ...UNAUTHORIZED, because: 'the holder says it was not authorized' },
  R11: { ...UNAUTHORIZED, because: 'the holder says it differs from the authorization' },
  R16: {
    code: 'bank_account_restricted',
    reason: 'bank_cannot_process',
    because: 'the account is frozen',
  },
  R20: { ...UNUSABLE, because: 'the account takes no debits' },
  R28: {
    code: 'routing_number_invalid',
    reason: 'incorrect_account_details',
    because: 'the routing number is wrong',
  },
  R29: { ...UNAUTHORIZED, because: 'the company that holds the account did not authorize it' },
};

const OTHER: BankReturn = {
  code: 'bank_account_declined',
  reason: 'bank_cannot_process',
  because: 'for a reason of its own',
};

/** Any return code, also one without a meaning of its own. */
const RETURN_CODE = /^R\d\d$/;

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
  if (returnCode !== undefined && RETURN_CODE.test(returnCode)) {
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
