import type { Owner } from '../../kernel/basics/environment.ts';
import { newId, type PayoutId } from '../../kernel/basics/id.ts';
import type { Maker } from '../../kernel/callers/maker.ts';
import { findOrThrow } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { describeMoney } from '../../kernel/input/currency.ts';
import { mergeMetadata } from '../../kernel/input/metadata.ts';
import {
  type CurrencyBalance,
  describePayable,
  type LedgerFacts,
  payableOf,
} from '../../ledger/ledger.ts';
import { bookPayout } from '../../ledger/payout-recipes.ts';
import type { BankAccount, LiveBankAccount } from '../bank-accounts/bank-account.ts';
import { assertCan } from '../processor/assert-can.ts';
import type { Processor } from '../processor/processor.ts';
import { type Clocked, clockField, timeOf } from '../test-clocks/object-clock.ts';
import type { Payout } from './payout.ts';
import { type AccountStop, findAccountStop } from './payout-account.ts';
import type { PayoutCreate } from './payout-input.ts';
import type { PayoutRepositories } from './payout-storage.ts';

const DAY_MS = 86_400_000;
const STOPPED: Readonly<Record<AccountStop, string>> = {
  account_suspended: 'The operator has suspended the account.',
  payouts_disabled: 'The operator has stopped payouts of the account.',
};
/** Until the processor tells the day: banks need about two. */
const ARRIVAL_DAYS = 2;

/**
 * Checks whether the processor and the account allow payouts in this currency.
 * @throws PaymountError `operation_not_supported`, `invalid_currency`, `payouts_not_allowed`
 */
export async function assertPayoutsAllowed(
  rows: PayoutRepositories,
  { accountId }: Owner,
  processor: Processor,
  currency: string,
): Promise<void> {
  assertCan(processor, 'payout');
  const { capabilities } = processor;
  if (capabilities.currencies && !capabilities.currencies.includes(currency)) {
    const message = `The processor does not support ${currency}.`;
    throw new PaymountError('invalid_currency', message, { param: 'currency' });
  }
  const account = await rows.payoutAccounts.find(accountId);
  const stop = account && findAccountStop(account);
  if (stop !== undefined) throw new PaymountError('payouts_not_allowed', STOPPED[stop]);
}

/**
 * The bank account of a payout, its row locked.
 * @param id as it was sent; absent: the default of the currency
 * @throws PaymountError `resource_missing`, `currency_mismatch`, `payouts_not_allowed`
 */
export async function lockDestination(
  rows: PayoutRepositories,
  owner: Owner,
  { id, currency }: { readonly id?: string | undefined; readonly currency: string },
): Promise<LiveBankAccount> {
  const found = await findDestination(rows, owner, id, currency);
  if (found === undefined || found.status === 'deleted') {
    const message = `The account has no bank account for payouts in ${currency}; add one first.`;
    throw new PaymountError('payouts_not_allowed', message, { param: 'currency' });
  }
  if (found.currency !== currency) {
    const message = `Bank account ${found.id} is for ${found.currency}, and the payout is in ${currency}.`;
    throw new PaymountError('currency_mismatch', message, { param: 'destination' });
  }
  if (found.status === 'errored') {
    const message = `A payout to bank account ${found.id} failed (${found.failureCode}); make another one the default.`;
    throw new PaymountError('payouts_not_allowed', message, { param: 'destination' });
  }
  return found;
}

/**
 * Checks whether a balance, locked, covers a payout and its pending refunds.
 * @throws PaymountError `balance_insufficient`
 */
export function assertPayable(
  { amount, currency }: Pick<PayoutCreate, 'amount' | 'currency'>,
  balance: CurrencyBalance,
): void {
  const payable = payableOf(balance);
  if (BigInt(amount) <= payable) return;
  throw new PaymountError(
    'balance_insufficient',
    `${describeMoney(payable < 0n ? 0n : payable, currency)} ${describePayable(balance)}; ` +
      `the payout is ${describeMoney(amount, currency)}.`,
    { param: 'amount' },
  );
}

async function findDestination(
  rows: PayoutRepositories,
  owner: Owner,
  id: string | undefined,
  currency: string,
): Promise<BankAccount | undefined> {
  if (id === undefined) return rows.bankAccounts.findDefaultForUpdate(owner, currency);
  const name = { noun: 'bank account', prefix: 'ba', param: 'destination' } as const;
  return findOrThrow(name, id, async (each) => {
    const account = await rows.bankAccounts.findForUpdate(owner, each);
    return account?.status === 'deleted' ? undefined : account;
  });
}

/** The accepted payout and its ledger rows. Call it with the balance locked and checked. */
export function newPayout(intent: {
  readonly owner: Owner;
  readonly on: Clocked;
  readonly input: Omit<PayoutCreate, 'destination' | 'test_clock'>;
  readonly destination: LiveBankAccount;
  readonly processor: Processor;
  /** Of an automatic payout: its due moment, and the id under which its parts were collected. */
  readonly automatic?: { readonly period: Date; readonly id: PayoutId };
  readonly at: Date;
  /** Absent for an automatic payout. */
  readonly createdBy?: Maker;
}): {
  readonly payout: Payout;
  readonly booked: LedgerFacts;
} {
  const { owner, on, input, destination, processor, automatic, createdBy } = intent;
  const at = timeOf(on, intent.at);
  const { amount, currency } = input;
  const id = automatic?.id ?? newId('po');
  const booking = bookPayout({
    owner,
    payoutId: id,
    amount,
    currency,
    at,
    ...(automatic && { isAutomatic: true }),
  });
  const payout: Payout = {
    ...owner,
    id,
    version: 1,
    amount,
    currency,
    period: automatic?.period ?? null,
    status: 'pending',
    arrivalDate: midnight(at.getTime() + ARRIVAL_DAYS * DAY_MS),
    destinationId: destination.id,
    balanceTransactionId: booking.transaction.id,
    processorName: processor.name,
    statementDescriptor: input.statement_descriptor ?? null,
    description: input.description ?? null,
    metadata: mergeMetadata({}, input.metadata),
    created: at,
    ...(createdBy && { createdBy }),
    ...clockField(on),
  };
  const booked = { postings: [booking.posting], balanceTransactions: [booking.transaction] };
  return { payout, booked };
}

function midnight(ms: number): Date {
  return new Date(Math.floor(ms / DAY_MS) * DAY_MS);
}
