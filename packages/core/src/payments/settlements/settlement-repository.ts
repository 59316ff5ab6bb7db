import type { Owner } from '../../kernel/basics/environment.ts';
import type {
  ChargeId,
  OperationId,
  SettlementDifferenceId,
  SettlementLineId,
} from '../../kernel/basics/id.ts';
import type { AdminListFilter, AdminScope } from '../../kernel/callers/admin-scope.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import type { BalanceTransaction } from '../../ledger/ledger.ts';
import type { Operation } from '../operations/operation.ts';
import type { SettlementDifference, SettlementDifferenceKind } from './settlement-difference.ts';
import type { SettlementLine } from './settlement-line.ts';

/** A charge whose lines do not say what it moved. */
export interface UnsettledCharge extends Owner {
  readonly chargeId: ChargeId;
  readonly processor: string;
  readonly currency: string;
  /** What the charge, its refunds and its disputes moved, before fees; minor units. */
  readonly moved: number;
  /** The sum of its lines. */
  readonly settled: number;
}

/** A place in the order of these fields of balance transactions. */
export type SettlementCursor = Pick<
  BalanceTransaction,
  'accountId' | 'environment' | 'currency' | 'type' | 'created' | 'id'
>;

/** Bound to one transaction. */
export interface SettlementRepository {
  /** Stores a line once. @returns false if (processor, environment, line id) is stored already */
  record(line: SettlementLine): Promise<boolean>;
  /** Locks a line without an operation; a line that another process has locked is not found. */
  takeUnmatched(id: SettlementLineId): Promise<SettlementLine | undefined>;
  /** Writes the match of a line that is locked. */
  saveMatch(line: SettlementLine): Promise<void>;
  /**
   * Lines whose difference `no_operation` is open, and that name an operation by now, oldest first; and
   * those of which a person has settled it, if it was found from `settledSince` on.
   */
  listUnmatched(
    settledSince: Date,
    limit: number,
    after?: SettlementLineId,
  ): Promise<readonly SettlementLineId[]>;
  /**
   * Whether a line is still wanted whose operation is known by now: nobody has settled its difference
   * `no_operation`, or its amount is all that the lines of its charge lack. It may have come again by
   * another id, or have been booked in another way.
   */
  isWanted(line: SettlementLine): Promise<boolean>;
  /** The operations of a charge that have lines of the amount of this one. */
  findTold(
    owner: Owner,
    chargeId: ChargeId,
    line: Pick<SettlementLine, 'amount' | 'currency'>,
  ): Promise<readonly OperationId[]>;
  /**
   * An operation of a refund of a charge that has no answer yet, so that nobody knows what the processor
   * calls it: it may have the reference of its charge.
   * @param amount of the refund
   */
  findUnansweredRefund(
    owner: Owner,
    chargeId: ChargeId,
    amount: number,
  ): Promise<Operation | undefined>;
  /** The gross amounts of balance transactions of these sources in a currency. */
  movesOf(owner: Owner, sourceIds: readonly string[], currency: string): Promise<readonly number[]>;
  /**
   * What a processor told of its fees for the charge or refund of an operation, in a currency: with
   * outcomes, and with lines that are stored. Lines of chargebacks do not count. `givenBack` is what
   * lines give back of them, zero or less; `byLines` is without it.
   */
  feesOf(
    operation: Operation,
    currency: string,
  ): Promise<{
    readonly byOutcomes: number;
    readonly byLines: number;
    readonly givenBack: number;
  }>;
  /**
   * Adds differences. One of a subject and kind that is there gets these amounts: it stays settled if
   * they are those that a person settled, and is open otherwise.
   */
  addDifferences(differences: readonly SettlementDifference[]): Promise<void>;
  /**
   * Marks the open difference of a subject as resolved; one of kind `no_operation` also if a person has
   * settled it.
   */
  resolve(kind: SettlementDifferenceKind, subjectId: string): Promise<void>;
  /**
   * Compares the next `limit` charges again that have a difference, in the order of ids of
   * differences. An open one gets the amounts of now, and is resolved if the lines say all. One that a
   * person settled with other amounts opens again, if the charge last changed before `to`.
   * @returns where to continue; undefined at the end
   */
  compareAgain(
    moments: { readonly to: Date; readonly at: Date },
    limit: number,
    after?: SettlementDifferenceId,
  ): Promise<SettlementDifferenceId | undefined>;
  /**
   * Compares the next `limit` lines again whose amount or fee differs and whose difference is open, in
   * the order of ids of differences: what they are about may have moved since, or a fee have been told.
   * Two lines of a charge and its disputes, or of one refund, cancel each other if nothing moved for
   * either. A difference gets the amounts of now, or is resolved.
   * @returns where to continue; undefined at the end
   */
  compareLinesAgain(
    kind: 'amount_differs' | 'fee_differs',
    limit: number,
    after?: SettlementDifferenceId,
  ): Promise<SettlementDifferenceId | undefined>;
  /**
   * Looks at the charges of the next `limit` balance transactions, their own or those of their refunds
   * and disputes, that were made from `from` up to `to`, in the order of the cursor. Only charges count
   * that their processor could have settled: it has sent a line before they were made.
   * @returns those whose lines do not say what they moved, if nothing moved from `to` on, some of them
   *   more than once; and where to continue, undefined at the end
   */
  scanCharges(
    window: { readonly from: Date; readonly to: Date },
    limit: number,
    after?: SettlementCursor,
  ): Promise<{ readonly unsettled: readonly UnsettledCharge[]; readonly next?: SettlementCursor }>;
  /** A second caller waits until the first one's transaction ends. */
  findDifferenceForUpdate(id: SettlementDifferenceId): Promise<SettlementDifference | undefined>;
  /** Writes state and note of a difference that is locked. */
  saveDifference(difference: SettlementDifference): Promise<void>;
}

export interface SettlementDifferenceFilter extends Omit<AdminListFilter, 'status'> {
  /** @defaultValue `open` */
  readonly state?: SettlementDifference['state'] | 'any';
  readonly kind?: SettlementDifferenceKind;
  /** Name of the adapter. */
  readonly processor?: string;
}

/** Differences for operators. Those without an account are only for admins of all accounts. */
export interface SettlementDifferenceDirectory {
  /** @param scope differences outside it are not found */
  find(scope: AdminScope, id: SettlementDifferenceId): Promise<SettlementDifference | undefined>;
  /** Newest first. @throws `invalid_cursor` */
  list(
    scope: AdminScope,
    filter: SettlementDifferenceFilter,
    page: PageRequest,
  ): Promise<Page<SettlementDifference>>;
}
