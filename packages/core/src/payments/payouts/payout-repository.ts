import type { Owner } from '../../kernel/basics/environment.ts';
import type { AccountId, BankAccountId, PayoutId, TestClockId } from '../../kernel/basics/id.ts';
import type { CreatedFilter, Page, PageRequest } from '../../kernel/input/page.ts';
import type {
  DestinationRepository,
  ScheduleRepository,
} from '../bank-accounts/bank-account-repository.ts';
import type { Payout, PayoutStatus } from './payout.ts';
import type { PayoutAccount } from './payout-account.ts';
import type { PayoutRun } from './payout-run.ts';

export interface PayoutFilter {
  readonly status?: PayoutStatus;
  readonly destinationId?: BankAccountId;
  readonly arrivalDate?: CreatedFilter;
  readonly created?: CreatedFilter;
  /** Only those on this test clock. @defaultValue those on none */
  readonly clock?: TestClockId;
}

export interface PayoutReader {
  find(owner: Owner, id: PayoutId): Promise<Payout | undefined>;
  /** The payouts of `ids` that belong to this owner, in no order; one query. */
  findMany(owner: Owner, ids: readonly PayoutId[]): Promise<readonly Payout[]>;
  /** @throws `invalid_cursor` when a cursor is not the id of a payout of this owner */
  list(owner: Owner, filter: PayoutFilter, page: PageRequest): Promise<Page<Payout>>;
}

/** Bound to one transaction. */
export interface PayoutRepository extends PayoutReader, DestinationRepository {
  /** A second caller waits until the first one's transaction ends. */
  findForUpdate(owner: Owner, id: PayoutId): Promise<Payout | undefined>;
  /** Pending payouts on a test clock that were not sent yet, oldest first. */
  findUnsentOn(clock: TestClockId, limit: number): Promise<readonly Payout[]>;
}

export interface PayoutAccountReader {
  find(id: AccountId): Promise<PayoutAccount | undefined>;
}

/** Bound to one transaction. */
export interface PayoutAccountRepository extends PayoutAccountReader {
  /** A second caller waits until the first one's transaction ends. */
  findForUpdate(id: AccountId): Promise<PayoutAccount | undefined>;
  /** Writes `payoutsEnabled`, `holdsDestinations` and `schedule` of an account that is locked; nothing else. */
  save(account: PayoutAccount): Promise<void>;
}

export interface PayoutRunReader {
  /** All of an account, in both environments, in order of environment and currency. */
  listOf(accountId: AccountId): Promise<readonly PayoutRun[]>;
}

/** Bound to one transaction. Storage adds a run with the first ledger of a currency, due at once. */
export interface PayoutRunRepository extends PayoutRunReader, ScheduleRepository {
  /**
   * Locks the next run that is due, after `after` in the order of due time, account, environment and
   * currency. Runs that others have locked are skipped, so that two workers never get the same one. What
   * the transaction needs after that, it waits for only a moment: another transaction of one account must
   * not delay the payouts of the others.
   */
  takeDue(now: Date, after?: PayoutRun): Promise<PayoutRun | undefined>;
  /**
   * Whether funds of a run are due by now and still `pending`: another process is making them available,
   * or will do so shortly.
   */
  awaitsFunds(run: Owner & Pick<PayoutRun, 'currency'>, now: Date): Promise<boolean>;
  /** Writes a run that `takeDue` has locked. */
  save(run: PayoutRun): Promise<void>;
  /**
   * Marks up to `limit` available balance transactions of a run that are in no payout yet, oldest
   * first, as part of a payout. Charges after `before` stay unmarked.
   * @returns how many, and the sum of their net amounts
   */
  collect(
    run: Owner & Pick<PayoutRun, 'currency'>,
    part: { readonly payoutId: PayoutId; readonly before: Date; readonly limit: number },
  ): Promise<{ readonly count: number; readonly net: bigint }>;
}
