import type { AreaStorage } from '../../changes/area-storage.ts';
import type { Change } from '../../changes/change.ts';
import type { ChangeRepository } from '../../changes/change-repository.ts';
import type {
  CustomerBalanceReader,
  CustomerBalanceRepository,
  CustomerReader,
  CustomerRepository,
} from '../../payments/customers/customer-repository.ts';
import type { CustomerWrite } from '../../payments/customers/customer-storage.ts';

/** The rows that a move of a balance writes: the customer, and the transaction. */
export type BalanceWrite = CustomerWrite;

/** The change that the service of balances commits. */
export type BalanceChange = Change<BalanceWrite>;

interface Readers {
  readonly customers: CustomerReader;
  readonly customerBalances: CustomerBalanceReader;
}

/** Bound to one transaction. A customer is locked before its balance. */
export interface BalanceRepositories {
  readonly customers: CustomerRepository;
  readonly customerBalances: CustomerBalanceRepository;
}

/** What the service of balances needs of storage. */
export type BalanceStorage = AreaStorage<
  Readers,
  BalanceRepositories & { readonly changes: ChangeRepository<BalanceChange> }
>;
