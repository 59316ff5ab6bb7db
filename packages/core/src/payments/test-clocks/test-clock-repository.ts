import type { Owner } from '../../kernel/basics/environment.ts';
import type { TestClockId } from '../../kernel/basics/id.ts';
import type { AdminListFilter, AdminScope } from '../../kernel/callers/admin-scope.ts';
import type { CreatedFilter, Page, PageRequest } from '../../kernel/input/page.ts';
import type { TestClock, TestClockStatus } from './test-clock.ts';

export interface TestClockReader {
  /** A deleted one too: its `deletedAt` is set. */
  find(owner: Owner, id: TestClockId): Promise<TestClock | undefined>;
  /**
   * Clocks that are not deleted, newest first.
   * @throws `invalid_cursor` when a cursor is not the id of a clock of this owner, deleted or not
   */
  list(
    owner: Owner,
    filter: { readonly created?: CreatedFilter },
    page: PageRequest,
  ): Promise<Page<TestClock>>;
  /** The number of clocks that are not deleted. */
  count(owner: Owner): Promise<number>;
  /** The number of customers on a clock that are not deleted. */
  countCustomers(owner: Owner, id: TestClockId): Promise<number>;
}

/** Bound to one transaction. */
export interface TestClockRepository {
  /** A second caller waits until the first one's transaction ends. Deleted ones too. */
  findForUpdate(owner: Owner, id: TestClockId): Promise<TestClock | undefined>;
  /** Whether a clock shows this time; then it does until the transaction ends. */
  shows(clock: Pick<TestClock, 'id' | 'accountId' | 'environment'>, now: Date): Promise<boolean>;
  /** Forgets what the test-mode processor planned on a clock that is deleted in this transaction. */
  forgetPlanned(id: TestClockId): Promise<void>;
}

/** An advancing clock that a worker has taken. `claim`: no other worker has the same number. */
export interface ClaimedClock extends Owner {
  readonly id: TestClockId;
  readonly claim: number;
  readonly frozenTime: Date;
  readonly targetTime: Date;
  /** How often work at this time has failed, other than by waiting for the hook. */
  readonly failures: number;
}

/**
 * Why a worker gives a clock back before it is done: the turn of others, an operation that has no
 * answer yet, the hook, or an error. Only errors are counted, and only the wait for the hook is stored.
 */
export type GiveBackReason = 'turn' | 'answer' | 'hook' | 'error';

/** The clocks that workers advance. Leases are in the database's time. */
export interface TestClockQueue {
  /**
   * Takes the advancing clock that has waited longest, for `leaseMs`. Of two callers one gets it, until
   * its lease ends or it is given back. While a hook is in use, a process without one leaves clocks
   * that wait for the hook to the others.
   */
  claim(leaseMs: number): Promise<ClaimedClock | undefined>;
  /**
   * Sets the clock to a later or the same time, and renews the lease. It waits for changes that depend
   * on the time that the clock showed.
   * @returns false if another worker has taken the clock, or if it was stopped; nothing is changed
   */
  move(clock: ClaimedClock, to: Date, leaseMs: number): Promise<boolean>;
  /** The clock has reached its target: it is `ready`. @returns as `move` */
  finish(clock: ClaimedClock): Promise<boolean>;
  /** Leaves the clock to the next worker, after a wait; counts a failure if one is given. */
  giveBack(
    clock: ClaimedClock,
    how: { readonly waitMs: number; readonly because: GiveBackReason },
  ): Promise<void>;
  /** Work failed too often: the clock is in `internal_failure`. */
  fail(clock: ClaimedClock, failure: string): Promise<void>;
  /** Clocks that were created before a time and are not deleted, oldest first, after `after`. */
  findOld(createdBefore: Date, limit: number, after?: TestClock): Promise<readonly TestClock[]>;
}

export interface TestClockFilter extends Omit<AdminListFilter, 'status'> {
  readonly status?: TestClockStatus;
}

/** Clocks for operators, without deleted ones. */
export interface TestClockDirectory {
  /** @param scope clocks outside it are not found */
  find(scope: AdminScope, id: TestClockId): Promise<TestClock | undefined>;
  /** How many of all accounts have waited for the hook for more than 5 minutes. */
  hookWaits(): Promise<number>;
  /** Newest first. @throws `invalid_cursor` */
  list(scope: AdminScope, filter: TestClockFilter, page: PageRequest): Promise<Page<TestClock>>;
}
