import type { Environment, Owner } from '../../kernel/basics/environment.ts';
import type { ChargeId, DisputeId, TestClockId } from '../../kernel/basics/id.ts';
import type { AdminScope } from '../../kernel/callers/admin-scope.ts';
import type { CreatedFilter, Page, PageRequest } from '../../kernel/input/page.ts';
import type { Dispute, DisputeStatus } from './dispute.ts';

export interface DisputeFilter {
  readonly chargeId?: ChargeId;
  readonly status?: DisputeStatus;
  /** Bounds on the time until which evidence is accepted. */
  readonly dueBy?: CreatedFilter;
  readonly created?: CreatedFilter;
  /** Only those on this test clock. @defaultValue those on none, or of one charge any */
  readonly clock?: TestClockId;
}

export interface DisputeReader {
  find(owner: Owner, id: DisputeId): Promise<Dispute | undefined>;
  /** The disputes of `ids` that belong to this owner, in no order; one query. */
  findMany(owner: Owner, ids: readonly DisputeId[]): Promise<readonly Dispute[]>;
  /** All disputes of a charge, newest first. No more are opened while the charge's row is locked. */
  ofCharge(owner: Owner, chargeId: ChargeId): Promise<readonly Dispute[]>;
  /** @throws `invalid_cursor` when a cursor is not the id of a dispute of this owner */
  list(owner: Owner, filter: DisputeFilter, page: PageRequest): Promise<Page<Dispute>>;
}

/** Disputes for admins, across accounts. */
export interface DisputeDirectory {
  /** @param scope disputes outside it are not found */
  find(scope: AdminScope, id: DisputeId): Promise<Dispute | undefined>;
}

/** A dispute whose time has passed, as far as the next page needs it. */
type Due = Pick<Dispute, 'id' | 'dueBy'>;

/** Bound to one transaction. */
export interface DisputeRepository extends DisputeReader {
  /** Call it with the charge's row locked: the lock order is charge, then dispute. */
  findForUpdate(owner: Owner, id: DisputeId): Promise<Dispute | undefined>;
  /**
   * The dispute with a reference at a processor, of any account: at most one (unique index). Else
   * the one that had the reference as an alert, before its chargeback.
   */
  findByReference(
    at: { readonly environment: Environment; readonly processor: string },
    reference: string,
  ): Promise<Dispute | undefined>;
  /**
   * Disputes of all accounts that wait for the merchant and whose time has passed, in due order, at
   * most `limit`. Those that are past due already are left out; those with an unresolved operation
   * too: its result decides.
   * @param after the last one of the previous page
   * @param clock only those on this test clock. @defaultValue those on none
   */
  findDue(now: Date, limit: number, after?: Due, clock?: TestClockId): Promise<readonly Dispute[]>;
}
