import type { Maker } from '../../kernel/callers/maker.ts';
import { assertSteady } from '../test-clocks/object-clock.ts';
import { balanceOf, type Customer } from './customer.ts';
import { moveBalance } from './customer-balance.ts';
import type { CustomerStorage, CustomerWrite } from './customer-storage.ts';

/**
 * What sets the balance of a customer in its own currency, or in the default currency of the account if
 * it has none: as at Stripe, an adjustment by the difference. Nothing if there is no difference.
 * @param customer as it is committed in the same change, with the version that decides races
 * @param balance minor units
 * @throws PaymountError `invalid_currency`, `test_clock_advancing`
 */
export async function setBalance(
  read: Pick<CustomerStorage['read'], 'customerBalances' | 'payoutAccounts'>,
  customer: Customer,
  balance: number,
  { at, createdBy }: { readonly at: Date; readonly createdBy: Maker },
): Promise<{ readonly row: Customer; readonly writes: readonly CustomerWrite[] }> {
  const amount = balance - balanceOf(customer);
  if (amount === 0) return { row: customer, writes: [] };
  assertSteady(customer);
  const { accountId } = customer;
  const currency =
    customer.currency ?? (await read.payoutAccounts.find(accountId))?.defaultCurrency;
  if (currency === undefined) throw new Error(`Account ${accountId} does not exist.`);
  const last = await read.customerBalances.findLast(customer, customer.id, currency);
  const move = { amount, currency, type: 'adjustment', createdBy } as const;
  const { transaction, customer: row } = moveBalance(customer, last, move, at);
  const write = { kind: 'customer_balance_transaction', mode: 'insert', row: transaction } as const;
  return { row, writes: [write] };
}
