import { type Customer, touched } from '../../payments/customers/customer.ts';
import {
  type BalanceMove,
  type CustomerBalanceTransaction,
  moveBalance,
} from '../../payments/customers/customer-balance.ts';
import type { BalanceRepositories, BalanceWrite } from './balance-storage.ts';

/** A move that is decided, and the rows that commit it. */
export interface HeldMove {
  readonly transaction: CustomerBalanceTransaction;
  /** In its next version; another move in the same change begins with it. */
  readonly customer: Customer;
  readonly writes: readonly BalanceWrite[];
}

/**
 * Moves the balance of a customer who is locked in this transaction, for example with what an invoice
 * takes from it. The caller commits `writes` in its own change.
 * @param customer as `rows.customers.findForUpdate` returned it
 * @param at the time that everybody shares
 * @throws PaymountError `customer_balance_limit_exceeded`; `invalid_currency` if it is not in force and
 *   the customer has no balance in it
 */
export async function moveHeldBalance(
  { customerBalances }: Pick<BalanceRepositories, 'customerBalances'>,
  customer: Customer,
  move: BalanceMove,
  at: Date,
): Promise<HeldMove> {
  const last = await customerBalances.findLastForUpdate(customer, customer.id, move.currency);
  const { transaction, customer: moved } = moveBalance(customer, last, move, at);
  const next = touched(moved);
  return {
    transaction,
    customer: next,
    writes: [
      { kind: 'customer', mode: 'update', row: next },
      { kind: 'customer_balance_transaction', mode: 'insert', row: transaction },
    ],
  };
}
