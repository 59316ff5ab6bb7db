import type { Owner } from '../../kernel/basics/environment.ts';
import type { ChargeId, RefundId, TestClockId } from '../../kernel/basics/id.ts';
import type { CreatedFilter, Page, PageRequest } from '../../kernel/input/page.ts';
import type { Refund } from './refund.ts';

export interface RefundFilter {
  readonly chargeId?: ChargeId;
  readonly created?: CreatedFilter;
  /** Only those on this test clock. @defaultValue those on none, or of one charge any */
  readonly clock?: TestClockId;
}

export interface RefundReader {
  find(owner: Owner, id: RefundId): Promise<Refund | undefined>;
  /** The refunds of `ids` that belong to this owner, in no order; one query. */
  findMany(owner: Owner, ids: readonly RefundId[]): Promise<readonly Refund[]>;
  /** The newest refunds of each charge, at most `limit` each, newest first; one query. */
  newestOf(owner: Owner, chargeIds: readonly ChargeId[], limit: number): Promise<readonly Refund[]>;
  /** Whether a refund of a charge, other than `except`, is pending. */
  hasPending(owner: Owner, chargeId: ChargeId, except?: RefundId): Promise<boolean>;
  /** @throws `invalid_cursor` when a cursor is not the id of a refund of this owner */
  list(owner: Owner, filter: RefundFilter, page: PageRequest): Promise<Page<Refund>>;
}

export interface RefundRepository extends RefundReader {
  /** Call it with the charge's row locked: the lock order is charge, then refund. */
  findForUpdate(owner: Owner, id: RefundId): Promise<Refund | undefined>;
}
