import type { Mail } from '../../changes/mails/mail.ts';
import type { Environment } from '../../kernel/basics/environment.ts';
import type { Id, OperationId, StoredNoticeId } from '../../kernel/basics/id.ts';
import type { AdminListFilter, AdminScope } from '../../kernel/callers/admin-scope.ts';
import type { CreatedFilter, Page, PageRequest } from '../../kernel/input/page.ts';
import type {
  AwaitedNoticeRepository,
  ReportedOperationReader,
} from '../operations/operation-repository.ts';
import type { NoticeKind, NoticeOf } from '../processor/notice.ts';
import type { StoredNotice, TriedNotice } from './stored-notice.ts';
import type { KeptNotice, StoredNoticeKind } from './unreadable-notice.ts';

/** Where notices come from. */
export interface NoticeOrigin {
  readonly environment: Environment;
  /** The name of the adapter. */
  readonly processor: string;
}

/** Bound to one transaction. */
export interface NoticeRepository extends ReportedOperationReader, AwaitedNoticeRepository {
  /**
   * Locks a notice. Of two concurrent callers one gets it; the other gets undefined at once, as for
   * an unknown id.
   */
  take(id: StoredNoticeId): Promise<StoredNotice | undefined>;
  /**
   * Writes the state of a notice that `take` has locked, and mails about it. An unreadable version of
   * the same notice that a person has not decided about is ignored from then on.
   */
  save(tried: TriedNotice, mails: readonly Mail[]): Promise<void>;
  /** Whether a notice with this id of the processor is stored that could be read. */
  isRead(origin: NoticeOrigin, noticeId: string): Promise<boolean>;
  /**
   * The members of `data` that the applied notices of kind `account_update` have which happened after
   * `time` and are of this token, each once, in no order. One from the future happened when it was stored.
   */
  findUpdatedAfter(
    origin: NoticeOrigin,
    processorToken: string,
    time: Date,
  ): Promise<readonly string[]>;
  /**
   * When the newest notice happened that was applied to an operation and is about the same resource.
   * One from the future happened when it was stored.
   */
  newestAppliedAt(operationId: OperationId, kind: NoticeKind): Promise<Date | undefined>;
  /**
   * The rulings about a dispute that wait for its chargeback, newest round first, by the root of the
   * operations that they name. Those that another transaction tries just now are among them, and those
   * that a person looks at because their schedule ended.
   */
  findWaitingRulings(
    rootId: Id<string>,
    disputeReference: string,
  ): Promise<readonly Pick<NoticeOf<'dispute.closed'>, 'occurredAt' | 'data'>[]>;
}

/** The notices that workers apply. */
export interface NoticeQueue {
  /**
   * Stores notices, all or none, in state `received`. A notice that is stored already is left out;
   * of two concurrent callers with one notice, one gets its id.
   * @param leaseMs how long they are left to the caller before workers claim them
   * @returns the ids of the new ones, in the order of `notices`
   */
  record(batch: {
    readonly origin: NoticeOrigin;
    readonly notices: readonly KeptNotice[];
    readonly at: Date;
    readonly leaseMs: number;
  }): Promise<readonly StoredNoticeId[]>;
  /** The stored notices of these that are not applied yet, in their order; takes nothing. */
  findOpen(origin: NoticeOrigin, noticeIds: readonly string[]): Promise<readonly StoredNoticeId[]>;
  /**
   * Takes up to `limit` notices of an environment that are due by the database's time, oldest
   * first, and delays them by `leaseMs` in the same statement (SKIP LOCKED), so that two workers
   * never get the same one. A process without a hook leaves notices that wait for the hook to
   * processes that have it.
   */
  claimDue(claim: {
    readonly environment: Environment;
    readonly limit: number;
    readonly leaseMs: number;
  }): Promise<readonly StoredNoticeId[]>;
}

export interface NoticeFilter extends Omit<AdminListFilter, 'status'> {
  /** `review`: those that a person must look at. `any`: all. @defaultValue `review` */
  readonly state?: StoredNotice['state'] | 'review' | 'any';
  readonly kind?: StoredNoticeKind;
  /** Name of the adapter. */
  readonly processor?: string;
  readonly created?: CreatedFilter;
}

/** The number of notices that a person must look at, or at the hook that refuses them. */
export interface NoticeReviewCount {
  readonly count: number;
  /** How many of them have waited for the hook for more than 5 minutes. */
  readonly hookWaits: number;
  /** Since when the oldest of them waits. */
  readonly since?: Date;
}

/** Notices for operators. Those without an account are only for admins of all accounts. */
export interface NoticeDirectory {
  /** @param scope notices outside it are not found */
  find(scope: AdminScope, id: StoredNoticeId): Promise<StoredNotice | undefined>;
  /** Newest first. @throws `invalid_cursor` */
  list(scope: AdminScope, filter: NoticeFilter, page: PageRequest): Promise<Page<StoredNotice>>;
  /** Of all accounts, for each environment. */
  underReview(): Promise<Readonly<Record<Environment, NoticeReviewCount>>>;
}
