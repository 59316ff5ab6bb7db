import type { Owner } from '../../kernel/basics/environment.ts';
import type { ChargeId, CustomerId, TestClockId } from '../../kernel/basics/id.ts';
import type { CreatedFilter, Page, PageRequest } from '../../kernel/input/page.ts';
import type { AuthorizedCharge, Charge, ChargeStatus } from './charge.ts';

export interface ChargeFilter {
  readonly status?: ChargeStatus;
  readonly customerId?: CustomerId;
  readonly created?: CreatedFilter;
  /** Only those on this test clock. @defaultValue those on none, or of one customer any */
  readonly clock?: TestClockId;
}

/** The position of an authorization in the order of expiry. */
export type ExpiredAfter = Pick<AuthorizedCharge, 'captureBefore' | 'id'>;

export interface ChargeReader {
  find(owner: Owner, id: ChargeId): Promise<Charge | undefined>;
  /** The charges of `ids` that belong to this owner, in no order; one query. */
  findMany(owner: Owner, ids: readonly ChargeId[]): Promise<readonly Charge[]>;
  /** @throws `invalid_cursor` when a cursor is not the id of a charge of this owner */
  list(owner: Owner, filter: ChargeFilter, page: PageRequest): Promise<Page<Charge>>;
}

export interface ChargeRepository extends ChargeReader {
  /** Locks the row until the transaction ends; of two callers the second waits (at most 3 s). */
  findForUpdate(owner: Owner, id: ChargeId): Promise<Charge | undefined>;
  /**
   * Authorized charges whose `captureBefore` has passed and that no open operation can still
   * change, in order of `captureBefore` and id, after `after`; locks nothing.
   * @param clock only those on this test clock. @defaultValue those on none
   */
  findExpiredAuthorizations(
    now: Date,
    limit: number,
    after?: ExpiredAfter,
    clock?: TestClockId,
  ): Promise<readonly AuthorizedCharge[]>;
}
