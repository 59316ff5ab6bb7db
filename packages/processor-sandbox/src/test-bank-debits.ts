import { randomUUID } from 'node:crypto';
import { bankingDaysLater, type OperationId } from '@paymount/core/kernel';
import type {
  Notice,
  Outcome,
  PlannedNotice,
  ProcessorOperation,
  TokenizeInput,
  TokenizeResult,
} from '@paymount/core/payments';
import type { Executed } from './executed.ts';
import {
  findBankAccount,
  ROUTING_NUMBER,
  refuseBankAccount,
  TEST_BANK_ACCOUNTS,
  type TestBankAccount,
} from './test-bank-accounts.ts';
import type { Decline } from './test-cards.ts';
import { SOON_MS } from './timings.ts';
import { isCounted, tokenWithSerial } from './turns.ts';

/** Begins the name of a bank account where one of a card could be. */
const PREFIX = 'usBankAccount_';
const TOKEN = /^(?:pm_usBankAccount|btok_us|btok_usBankAccount)(?:_(\w+))?$/;

const CLEARING_DAYS = 4;
const RETURN_DAYS = 2;
const LATE_RETURN_DAYS = 10;
const DAY_MS = 86_400_000;

type Behavior =
  | { readonly does: 'clear' }
  /** Returned by its bank, before it clears. */
  | { readonly does: 'return'; readonly code: string; readonly returnCode: string }
  | { readonly does: 'clear_then_return'; readonly code: string; readonly returnCode: string }
  /** Stays pending. */
  | { readonly does: 'stay' }
  | { readonly does: 'decline'; readonly decline: Decline };

const BEHAVIORS: Readonly<Record<string, Behavior>> = {
  accountClosed: { does: 'return', code: 'account_closed', returnCode: 'R02' },
  noAccount: { does: 'return', code: 'no_account', returnCode: 'R03' },
  insufficientFunds: { does: 'return', code: 'insufficient_funds', returnCode: 'R01' },
  debitNotAuthorized: { does: 'return', code: 'debit_not_authorized', returnCode: 'R29' },
  invalidCurrency: decline('invalid_currency', 'The bank account is in another currency.'),
  dispute: { does: 'clear_then_return', code: 'debit_not_authorized', returnCode: 'R10' },
  processing: { does: 'stay' },
  timeout_declined: decline('bank_account_declined', 'The bank refused the debit.'),
};

function decline(code: string, message: string): Behavior {
  return { does: 'decline', decline: { code, declineCode: code, message, retry: 'never' } };
}

/** The name by which a debit is remembered: that of the bank account, marked as one. */
export function debitName({ bankAccount, processorToken }: ProcessorOperation['paymentMethod']) {
  const known =
    bankAccount === undefined
      ? findByToken(processorToken)
      : findBankAccount(bankAccount.accountNumber);
  return known && PREFIX + known.name;
}

/** The name of the bank account of a remembered debit; undefined for a card. */
export function bankAccountOf(name: string): string | undefined {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : undefined;
}

/** The name under which a fault takes the place of a bank account. */
export function debitFault(name: string): string {
  return PREFIX + name;
}

/** When a debit clears, or is returned, by how the sandbox keeps time. */
export interface DebitTimes {
  /** As banks take them; else two seconds each. On a test clock always as banks take them. */
  readonly calendarTimes: boolean;
}

/**
 * The outcome of a debit, a pure function of what was executed.
 * @param name of the bank account
 * @param now business time
 */
export function decideDebit(
  name: string,
  executed: Executed,
  {
    reference,
    now,
    calendarTimes,
  }: DebitTimes & { readonly reference: string; readonly now: Date },
): Outcome {
  const { amount, currency } = executed;
  const behavior = behaviorOf(name);
  if (behavior.does === 'decline') return { outcome: 'declined', ...behavior.decline };
  const named = { processorReference: reference, networkTransactionId: `trace_${reference}` };
  const expectedBy =
    behavior.does === 'stay'
      ? new Date(now.getTime() + DAY_MS)
      : endsAt(behavior, executed, { calendarTimes });
  if (now.getTime() < expectedBy.getTime()) {
    return { outcome: 'pending', ...named, expectedBy: expectedBy.toISOString() };
  }
  if (behavior.does !== 'return') return { outcome: 'approved', ...named, amount, currency };
  const { code, returnCode } = behavior;
  return { outcome: 'declined', code, declineCode: returnCode, message: RETURNED, retry: 'never' };
}

const RETURNED = 'The bank returned the debit.';

/** How notices name an operation. */
export interface Named {
  readonly operationId: OperationId;
  readonly processorReference: string;
}

/** The notices about a debit, a pure function of what was executed; of others none. */
export function planDebit(
  executed: Executed,
  named: Named,
  times: DebitTimes,
): readonly PlannedNotice[] {
  const { amount, currency, clock } = executed;
  const name = debitedAccount(executed);
  // Nobody ever hears of one, and the other is approved with another amount.
  if (name === undefined || ['unknown_forever', 'amount_tampered'].includes(name)) return [];
  const behavior = behaviorOf(name);
  const plan = (said: Pick<Notice, 'kind' | 'data'>, occurredAt: Date): PlannedNotice => {
    const noticeId = `${said.kind}_${named.operationId}`;
    const text = JSON.stringify({ noticeId, ...named, occurredAt, ...said });
    return { noticeId, dueAt: occurredAt, text, ...(clock === undefined ? {} : { clock }) };
  };
  const settled = { kind: 'charge.settled', data: { amount, currency } } as const;
  switch (behavior.does) {
    case 'clear':
      return [plan(settled, endsAt(behavior, executed, times))];
    case 'return':
      return [plan(returned(behavior), endsAt(behavior, executed, times))];
    case 'clear_then_return':
      return [
        plan(settled, endsAt(behavior, executed, times)),
        plan(returned(behavior), later(executed, LATE_RETURN_DAYS, 2, times)),
      ];
    case 'stay':
    case 'decline':
      return [];
  }
}

/** Takes the published bank accounts only, by number or token. */
export function tokenizeBankAccount(
  input: Exclude<TokenizeInput, { readonly card: object }>,
): TokenizeResult {
  if ('token' in input) {
    const known = findByToken(input.token);
    if (known === undefined) return { result: 'unknown_token' };
    return tokenized(known, { accountType: 'checking', accountHolderType: 'individual' });
  }
  const { accountNumber, routingNumber, ...holder } = input.usBankAccount;
  const known = findBankAccount(accountNumber);
  if (known === undefined || routingNumber !== ROUTING_NUMBER) return refuseBankAccount();
  return tokenized(known, holder);
}

function tokenized(
  { name, number }: TestBankAccount,
  holder: Omit<
    Extract<TokenizeInput, { readonly usBankAccount: object }>['usBankAccount'],
    'accountNumber' | 'routingNumber'
  >,
): TokenizeResult {
  const token = `pm_usBankAccount_${name}`;
  return {
    result: 'tokenized',
    facts: {
      type: 'us_bank_account',
      usBankAccount: {
        ...holder,
        bankName: 'Test Bank',
        routingNumber: ROUTING_NUMBER,
        last4: number.slice(-4),
        accountNumber: number,
      },
      processorToken: isCounted(PREFIX + name) ? tokenWithSerial(token, randomUUID()) : token,
    },
  };
}

function findByToken(token: string): TestBankAccount | undefined {
  const found = TOKEN.exec(token);
  const name = found?.[1] ?? 'success';
  return found === null ? undefined : TEST_BANK_ACCOUNTS.find((each) => each.name === name);
}

function behaviorOf(name: string): Behavior {
  return BEHAVIORS[name] ?? { does: 'clear' };
}

function returned({
  code,
  returnCode,
}: Extract<Behavior, { readonly returnCode: string }>): Pick<Notice, 'kind' | 'data'> {
  return { kind: 'charge.failed', data: { code, message: RETURNED, returnCode } };
}

/** The name of the bank account that is debited; undefined if it is no debit. */
function debitedAccount({ kind, card }: Executed): string | undefined {
  return kind === 'authorize' ? bankAccountOf(card) : undefined;
}

/** When it is known whether a debit clears; undefined if it is no debit. */
export function debitEndsAt(executed: Executed, times: DebitTimes): Date | undefined {
  const name = debitedAccount(executed);
  return name === undefined ? undefined : endsAt(behaviorOf(name), executed, times);
}

/** When it is known whether a debit clears. */
function endsAt({ does }: Behavior, executed: Executed, times: DebitTimes): Date {
  return later(executed, does === 'return' ? RETURN_DAYS : CLEARING_DAYS, 1, times);
}

function later(
  { at, clock }: Executed,
  days: number,
  steps: number,
  { calendarTimes }: DebitTimes,
): Date {
  return calendarTimes || clock !== undefined
    ? bankingDaysLater(at, days)
    : new Date(at.getTime() + steps * SOON_MS);
}
