import type { Owner } from '../../kernel/basics/environment.ts';
import type { CustomerBalanceTransactionId, CustomerId } from '../../kernel/basics/id.ts';
import type { CreatedFilter, Page, PageRequest } from '../../kernel/input/page.ts';
import type { CustomerBalanceTransaction } from './customer-balance.ts';

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
   * As `findLast`, and locks the row until the transaction ends. The next one is committed by whoever
   * has locked the customer: a second caller waits for the customer, not for this row, which the next
   * one replaces as the last.
   */
  findLastForUpdate(
    owner: Owner,
    customerId: CustomerId,
    currency: string,
  ): Promise<CustomerBalanceTransaction | undefined>;
}
