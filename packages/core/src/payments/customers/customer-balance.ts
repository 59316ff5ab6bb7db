import type { Owner } from '../../kernel/basics/environment.ts';
import {
  type CustomerBalanceTransactionId,
  type CustomerId,
  newId,
} from '../../kernel/basics/id.ts';
import type { Maker } from '../../kernel/callers/maker.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { assertInForce, describeMoney } from '../../kernel/input/currency.ts';
import { timeOf } from '../test-clocks/object-clock.ts';
import type { Customer } from './customer.ts';

/** Why a balance was moved. */
export const BALANCE_TRANSACTION_TYPES = [
  // By the merchant.
  'adjustment',
  // An invoice took the balance into its sum, or gave it back when it became void.
  'applied_to_invoice',
  'unapplied_from_invoice',
  // What an invoice with a negative total could not pay out.
  'proration_credit',
] as const;
export type BalanceTransactionType = (typeof BALANCE_TRANSACTION_TYPES)[number];

/** The furthest from zero that a balance may be, in minor units. */
const MAX_CUSTOMER_BALANCE = 1_000_000_000_000;

/** The fields that a caller may change. */
export interface BalanceTransactionEdit {
  readonly description: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** What moves a balance. */
export interface BalanceMove extends Partial<BalanceTransactionEdit> {
  /** Minor units, not 0. Negative: the customer owes less, or has more credit. */
  readonly amount: number;
  /** ISO 4217, lower case. */
  readonly currency: string;
  readonly type: BalanceTransactionType;
  /** The invoice that moved it. */
  readonly invoiceId?: string;
  readonly createdBy?: Maker;
}

/**
 * One move of a customer's balance in one currency. They form a chain for each customer and currency,
 * whose amounts add up to the balance. It is not money in the ledger: nobody owes the processor
 * anything until a charge succeeds.
 */
export interface CustomerBalanceTransaction extends Owner, BalanceTransactionEdit {
  readonly id: CustomerBalanceTransactionId;
  /** Increments with every edit. */
  readonly version: number;
  readonly customerId: CustomerId;
  readonly currency: string;
  /** Its place in the chain, from 1 without gaps. */
  readonly number: number;
  readonly amount: number;
  /** The balance after it: that of the transaction before, plus the amount. */
  readonly endingBalance: number;
  readonly type: BalanceTransactionType;
  readonly invoiceId: string | null;
  readonly created: Date;
  /** Absent: an invoice moved it, or an earlier version did. */
  readonly createdBy?: Maker;
}

/** A transaction, and the customer with the balance after it. */
export interface MovedBalance {
  readonly transaction: CustomerBalanceTransaction;
  /** In the version that it had: the caller commits it as a new or a changed customer. */
  readonly customer: Customer;
}

/**
 * Moves the balance of a customer. It decides nothing about races: the caller has locked the customer,
 * or commits the customer's next version with it.
 * @param last the last transaction of the customer in the currency of the move; undefined: there is none
 * @param at the time that everybody shares; a customer on a test clock has the time of the clock
 * @throws PaymountError `customer_balance_limit_exceeded`; `invalid_currency` if it is not in force and
 *   the customer has no balance in it
 */
export function moveBalance(
  customer: Customer,
  last: CustomerBalanceTransaction | undefined,
  move: BalanceMove,
  at: Date,
): MovedBalance {
  const { amount, currency, type, invoiceId, description = null, metadata = {}, createdBy } = move;
  // What is in a withdrawn currency can still be used up, or written off.
  if (last === undefined) assertInForce(currency, at, 'currency');
  const endingBalance = (last?.endingBalance ?? 0) + amount;
  assertWithin(endingBalance, currency);
  const { accountId, environment } = customer;
  const transaction: CustomerBalanceTransaction = {
    accountId,
    environment,
    id: newId('cbtxn'),
    version: 1,
    customerId: customer.id,
    currency,
    number: (last?.number ?? 0) + 1,
    amount,
    endingBalance,
    type,
    invoiceId: invoiceId ?? null,
    description,
    metadata,
    created: timeOf(customer, at),
    ...(createdBy && { createdBy }),
  };
  const balances = { ...customer.balances, [currency]: endingBalance };
  // As at Stripe, the first transaction decides what the customer's own currency is.
  const moved = { ...customer, currency: customer.currency ?? currency, balances };
  return { transaction, customer: moved };
}

function assertWithin(balance: number, currency: string): void {
  if (Math.abs(balance) <= MAX_CUSTOMER_BALANCE) return;
  const message =
    `The balance would be ${describeMoney(balance, currency)}; it may be at most ` +
    `${describeMoney(MAX_CUSTOMER_BALANCE, currency)} above or below zero.`;
  throw new PaymountError('customer_balance_limit_exceeded', message, { param: 'amount' });
}
