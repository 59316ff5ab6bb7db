import type { AreaStorage } from '../../changes/area-storage.ts';
import type { Change, Write } from '../../changes/change.ts';
import type { ChangeRepository } from '../../changes/change-repository.ts';
import type { AccountId } from '../../kernel/basics/id.ts';
import type {
  PaymentMethodEffects,
  PaymentMethodReaders,
  PaymentMethodWrite,
} from '../payment-methods/payment-method-storage.ts';
import type { TestClockReader } from '../test-clocks/test-clock-repository.ts';
import type { TestClockWrite } from '../test-clocks/test-clock-storage.ts';
import type { Customer } from './customer.ts';
import type { CustomerBalanceTransaction } from './customer-balance.ts';
import type { CustomerBalanceReader, CustomerReader } from './customer-repository.ts';

export type CustomerBalanceWrite = Write<
  'customer_balance_transaction',
  CustomerBalanceTransaction
>;
export type CustomerWrite = Write<'customer', Customer> | CustomerBalanceWrite;

/** The change that the services of customers commit. */
export type CustomerChange = Change<CustomerWrite | PaymentMethodWrite | TestClockWrite> &
  Pick<PaymentMethodEffects, 'deletedCustomer'>;

interface Readers extends PaymentMethodReaders {
  readonly customers: CustomerReader;
  readonly customerBalances: CustomerBalanceReader;
  /** Knows the default currency of the account. */
  readonly payoutAccounts: {
    find(id: AccountId): Promise<{ readonly defaultCurrency: string } | undefined>;
  };
  readonly testClocks: TestClockReader;
}

/** What the services of customers need of storage. */
export type CustomerStorage = AreaStorage<
  Readers,
  { readonly changes: ChangeRepository<CustomerChange> }
>;
