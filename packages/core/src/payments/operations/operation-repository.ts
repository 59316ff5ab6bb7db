import type { Environment, Owner } from '../../kernel/basics/environment.ts';
import type { Id, OperationId, TestClockId } from '../../kernel/basics/id.ts';
import type { AdminListFilter, AdminScope } from '../../kernel/callers/admin-scope.ts';
import type { CreatedFilter, Page, PageRequest } from '../../kernel/input/page.ts';
import type { Notice } from '../processor/notice.ts';
import type { OperationKind } from '../processor/processor.ts';
import type { Operation, OperationState } from './operation.ts';
import type { OperationAnswer } from './operation-answer.ts';

export interface OperationReader {
  find(owner: Owner, id: OperationId): Promise<Operation | undefined>;
  /** The time for waits: the database's time, which all workers share. */
  now(): Promise<Date>;
}

/** The operations that a processor's report names. Bound to one transaction. */
export interface ReportedOperationReader {
  /**
   * The operations that a notice names, in no account: the one of `operationId`, of any kind, or the
   * newest of `processorReference` and these kinds, at most 100, newest first. They are not locked.
   */
  findReported(
    origin: { readonly environment: Environment; readonly processor: string },
    named: Pick<Notice, 'operationId' | 'processorReference'>,
    kinds: readonly OperationKind[],
  ): Promise<readonly Operation[]>;
}

/** Bound to one transaction. */
export interface OperationRepository extends OperationReader {
  /** The unresolved operation of an object, if any: at most one (partial unique index). */
  findUnresolved(owner: Owner, subjectId: string): Promise<Operation | undefined>;
  /**
   * The unresolved operation that can change the root itself: kind `authorize`, `capture` or
   * `cancel` with this `rootId`, whatever its subject. Call it with the root's row locked.
   */
  findUnresolvedOnRoot(owner: Owner, rootId: Id<string>): Promise<Operation | undefined>;
  /**
   * The oldest operation on a test clock that has yet to reach the processor, or whose answer is on its
   * way or waits for the hook: it is `created`, `sent`, or `unknown` with a known outcome or after the
   * processor did not find it.
   */
  findUnansweredOn(clock: TestClockId): Promise<Operation | undefined>;
  /**
   * Makes the next look-ups of the operations on a test clock that have no outcome yet due now. Those
   * that others have locked are left out: it waits for no lock.
   */
  hastenOn(clock: TestClockId): Promise<void>;
}

/** The operations that resolvers finish. */
export interface OperationQueue extends OperationReader {
  /**
   * Takes up to `limit` unresolved operations (`created`, `sent`, `unknown`) of an environment
   * whose `nextLookupAt` has passed by the database's time, oldest first. It delays their
   * `nextLookupAt` by `leaseMs` in the same statement (SKIP LOCKED, version unchanged), so that two
   * resolvers never get the same row.
   */
  claimDue(claim: {
    readonly environment: Environment;
    readonly limit: number;
    readonly leaseMs: number;
  }): Promise<readonly Operation[]>;
}

export interface OperationFilter extends Omit<AdminListFilter, 'status'> {
  /**
   * `review`: operations that a person must look at, in any state. `any`: all. @defaultValue
   * `review`
   */
  readonly state?: OperationState | 'review' | 'any';
  readonly kind?: OperationKind;
  /** Name of the adapter. */
  readonly processor?: string;
  /** Id of what it is about. */
  readonly subject?: string;
  readonly created?: CreatedFilter;
}

/** The number of operations that a person must look at. */
export interface ReviewCount {
  readonly count: number;
  /** How many of them have waited for the hook for more than 5 minutes. */
  readonly hookWaits: number;
  /** Since when the oldest of them waits. */
  readonly since?: Date;
}

/** Operations for operators. */
export interface OperationDirectory {
  /** @param scope operations outside it are not found */
  find(scope: AdminScope, id: OperationId): Promise<Operation | undefined>;
  /** Newest first. @throws `invalid_cursor` */
  list(scope: AdminScope, filter: OperationFilter, page: PageRequest): Promise<Page<Operation>>;
  /** The answers about it, oldest first; empty unless a person had to look at it. */
  answers(operation: Operation): Promise<readonly OperationAnswer[]>;
  /** Of all accounts, for each environment. */
  underReview(): Promise<Readonly<Record<Environment, ReviewCount>>>;
}

/** A notice that the sandbox sends later. */
export interface PlannedNotice {
  readonly noticeId: string;
  /** Business time. */
  readonly dueAt: Date;
  /** What the sandbox sends then. */
  readonly text: string;
  /** The test clock that `dueAt` is of. @defaultValue none */
  readonly clock?: TestClockId;
}

/** What the sandbox sends later; `remember` stores it. */
export interface PlannedNoticeQueue {
  /**
   * Takes up to `limit` due notices that are on no test clock, oldest first, and delays them by `leaseMs` in the same statement
   * (SKIP LOCKED), so that two workers never send the same one at once.
   */
  claimDue(claim: {
    readonly now: Date;
    readonly limit: number;
    readonly leaseMs: number;
  }): Promise<readonly PlannedNotice[]>;
  /** The due notices of a test clock, in due order, at most `limit`; takes nothing. */
  findDueOn(clock: TestClockId, until: Date, limit: number): Promise<readonly PlannedNotice[]>;
  /** Forgets notices that were sent. */
  remove(noticeIds: readonly string[]): Promise<void>;
}

/**
 * Where the sandbox processor stores its operations, so that `lookup` answers after a restart as a
 * real processor would. Real adapters do not need it.
 */
export interface OperationMemoryRepository {
  /**
   * Stores `record` unless one exists; returns the stored record.
   * @param planned stored with it, so that a crash loses none; what is on a deleted test clock is left
   *   out. @defaultValue none
   */
  remember(
    operationId: OperationId,
    record: string,
    planned?: readonly PlannedNotice[],
  ): Promise<string>;
  recall(operationId: OperationId): Promise<string | undefined>;
  /**
   * The time that a test clock shows; undefined for an unknown clock. Of a deleted clock, a time after
   * everything, so that what is on its way there comes to its end.
   */
  timeOn(clock: TestClockId): Promise<Date | undefined>;
}

/** Notices that wait for something else to be recorded. Bound to one transaction. */
export interface AwaitedNoticeRepository {
  /**
   * Makes the notices due now that wait for another notice about this root; those too that a person
   * looks at because their schedule ended. The try is not counted. Those that another transaction tries
   * just now are left out: it waits for no lock.
   */
  hasten(rootId: Id<string>): Promise<void>;
}
