import type { BankAccountAnswer, BankAccountInput } from '@paymount/core/payments';
import type { Decline } from './test-cards.ts';

/** What a payout to a bank account does; `test-bank-debits.ts` has what debits do. */
export type PayoutBehavior =
  | { readonly does: 'pay' }
  /** Pays, and the bank returns it two seconds later. */
  | { readonly does: 'return'; readonly decline: Decline }
  | { readonly does: 'fail'; readonly decline: Decline }
  /** Stays in transit. */
  | { readonly does: 'stay' }
  /** What the card of the same name does: time out, vanish, and so on. */
  | { readonly does: 'as_card' };

/** One published test bank account. */
export interface TestBankAccount {
  /** The `x` of `btok_us_x` and `pm_usBankAccount_x`; `btok_us` is `success`. */
  readonly name: string;
  readonly number: string;
  readonly payout: PayoutBehavior;
}

/** The routing number of every test bank account. */
export const ROUTING_NUMBER = '110000000';
const BANK_NAME = 'Test Bank';
const TOKEN = /^btok_(?:us|usBankAccount)(?:_(\w+))?$/;

const pay: PayoutBehavior = { does: 'pay' };

function fails(code: string, message: string): PayoutBehavior {
  return { does: 'fail', decline: decline(code, message) };
}

function decline(code: string, message: string): Decline {
  return { code, declineCode: code, message, retry: 'never' };
}

/** Every bank account that the sandbox knows. No other number is taken. */
export const TEST_BANK_ACCOUNTS: readonly TestBankAccount[] = [
  { name: 'success', number: '000123456789', payout: pay },
  {
    name: 'accountClosed',
    number: '000111111113',
    payout: fails('account_closed', 'The bank account has been closed.'),
  },
  {
    name: 'noAccount',
    number: '000111111116',
    payout: fails('no_account', 'The bank account could not be found.'),
  },
  {
    name: 'insufficientFunds',
    number: '000222222227',
    payout: fails('insufficient_funds', 'The bank refused the transfer.'),
  },
  {
    name: 'debitNotAuthorized',
    number: '000333333335',
    payout: fails('debit_not_authorized', 'The bank account takes no such transfers.'),
  },
  {
    name: 'invalidCurrency',
    number: '000444444440',
    payout: fails('invalid_currency', 'The bank account is in another currency.'),
  },
  { name: 'dispute', number: '000555555559', payout: pay },
  // `turns.ts` says what its debits do from the second on.
  { name: 'returned_from_charge_2', number: '000222222235', payout: pay },
  { name: 'processing', number: '000000000009', payout: { does: 'stay' } },
  {
    name: 'returned',
    number: '000999999991',
    payout: {
      does: 'return',
      decline: decline('account_closed', 'The bank returned the transfer: the account is closed.'),
    },
  },

  { name: 'timeout_approved', number: '000777777701', payout: { does: 'as_card' } },
  { name: 'timeout_declined', number: '000777777702', payout: { does: 'as_card' } },
  { name: 'unknown_forever', number: '000777777703', payout: { does: 'as_card' } },
  { name: 'not_sent', number: '000777777704', payout: { does: 'as_card' } },
  { name: 'amount_tampered', number: '000777777705', payout: { does: 'as_card' } },
];

/** The bank account of a number, if it is a published one. */
export function findBankAccount(number: string): TestBankAccount | undefined {
  return TEST_BANK_ACCOUNTS.find((known) => known.number === number);
}

/** What a payout to the bank account of a name does. */
export function payoutBehavior(name: string): PayoutBehavior {
  return TEST_BANK_ACCOUNTS.find((known) => known.name === name)?.payout ?? { does: 'as_card' };
}

/** Takes the published bank accounts only, by number or token. */
export function checkTestBankAccount(input: BankAccountInput): BankAccountAnswer {
  if ('token' in input) {
    const [, name = 'success'] = TOKEN.exec(input.token) ?? [];
    const known = TEST_BANK_ACCOUNTS.find((each) => each.name === name);
    if (known === undefined || !TOKEN.test(input.token)) return { result: 'unknown_token' };
    return accepted(known);
  }
  const { country, routingNumber, accountNumber } = input;
  const known = findBankAccount(accountNumber);
  if (known === undefined || country !== 'US' || routingNumber !== ROUTING_NUMBER) {
    return refuseBankAccount();
  }
  return accepted(known);
}

/** The answer to any other number. */
export function refuseBankAccount() {
  return {
    result: 'refused',
    code: 'test_number_required',
    message: `The test environment takes only the published test bank accounts: country US, routing number ${ROUTING_NUMBER}, account number 000123456789.`,
  } as const;
}

function accepted({ number }: TestBankAccount): BankAccountAnswer {
  return {
    result: 'accepted',
    bankAccount: {
      country: 'US',
      accountNumber: number,
      routingNumber: ROUTING_NUMBER,
      last4: number.slice(-4),
      bankName: BANK_NAME,
    },
  };
}
