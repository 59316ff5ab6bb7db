import type { Owner } from '../../kernel/basics/environment.ts';
import type {
  CustomerBalanceTransactionId,
  CustomerId,
  TestClockId,
} from '../../kernel/basics/id.ts';
import type { CreatedFilter, Page, PageRequest } from '../../kernel/input/page.ts';
import type { Customer } from './customer.ts';
import type { CustomerBalanceTransaction } from './customer-balance.ts';

export interface CustomerFilter {
  /** Exactly as it was sent. */
  readonly email?: string;
  /** Only those on this test clock. @defaultValue those on none, as at Stripe */
  readonly clock?: TestClockId;
  readonly created?: CreatedFilter;
}

export interface CustomerReader {
  /** Deleted ones too. */
  find(owner: Owner, id: CustomerId): Promise<Customer | undefined>;
  /** The customers of `ids` that belong to this owner, deleted ones too, in no order; one query. */
  findMany(owner: Owner, ids: readonly CustomerId[]): Promise<readonly Customer[]>;
  /**
   * Customers that are not deleted.
   * @throws `invalid_cursor` when a cursor is not the id of a customer of this owner, deleted or not
   */
  list(owner: Owner, filter: CustomerFilter, page: PageRequest): Promise<Page<Customer>>;
}

export interface CustomerRepository extends CustomerReader {
  /** As `find`, and locks the row until the transaction ends: of two callers, the second one waits. */
  findForUpdate(owner: Owner, id: CustomerId): Promise<Customer | undefined>;
}

export interface CustomerBalanceFilter {
  readonly currency?: string;
  readonly invoiceId?: string;
  readonly created?: CreatedFilter;
}

export interface CustomerBalanceReader {
  /** @returns undefined also if it is of another customer */
  find(
    owner: Owner,
    customerId: CustomerId,
    id: CustomerBalanceTransactionId,
  ): Promise<CustomerBalanceTransaction | undefined>;
  /** The last of a customer in a currency. Another one may be added at the same time. */
  findLast(
    owner: Owner,
    customerId: CustomerId,
    currency: string,
  ): Promise<CustomerBalanceTransaction | undefined>;
  /**
   * Those of a customer, in the order of their ids, newest first.
   * @throws `invalid_cursor` when a cursor is not the id of one of this customer
   */
  list(
    owner: Owner,
    customerId: CustomerId,
    filter: CustomerBalanceFilter,
    page: PageRequest,
  ): Promise<Page<CustomerBalanceTransaction>>;
}

/** Bound to one transaction, which has locked the customer. */
export interface CustomerBalanceRepository extends CustomerBalanceReader {
  /** As `find`, and locks the row until the transaction ends. */
  findForUpdate(
    owner: Owner,
    customerId: CustomerId,
    id: CustomerBalanceTransactionId,
  ): Promise<CustomerBalanceTransaction | undefined>;
  /**
   * As `findLast`, and locks the row until the transaction ends. A second caller waits for the customer,
   * not for this row, because the row is not the last one any more when the first caller has committed.
   */
  findLastForUpdate(
    owner: Owner,
    customerId: CustomerId,
    currency: string,
  ): Promise<CustomerBalanceTransaction | undefined>;
}
