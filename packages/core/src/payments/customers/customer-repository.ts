import type { Owner } from '../../kernel/basics/environment.ts';
import type { CustomerId, TestClockId } from '../../kernel/basics/id.ts';
import type { CreatedFilter, Page, PageRequest } from '../../kernel/input/page.ts';
import type { Customer } from './customer.ts';

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
