import type { Owner } from '../../kernel/basics/environment.ts';
import type { AccountId, BankAccountId, PayoutId, TestClockId } from '../../kernel/basics/id.ts';
import type { CreatedFilter, Page, PageRequest } from '../../kernel/input/page.ts';
import type { Payout, PayoutStatus } from './payout.ts';
import type { PayoutAccount } from './payout-account.ts';

export interface PayoutFilter {
  readonly status?: PayoutStatus;
  readonly destinationId?: BankAccountId;
  readonly arrivalDate?: CreatedFilter;
  readonly created?: CreatedFilter;
}

export interface PayoutReader {
  find(owner: Owner, id: PayoutId): Promise<Payout | undefined>;
  /** The payouts of `ids` that belong to this owner, in no order; one query. */
  findMany(owner: Owner, ids: readonly PayoutId[]): Promise<readonly Payout[]>;
  /** @throws `invalid_cursor` when a cursor is not the id of a payout of this owner */
  list(owner: Owner, filter: PayoutFilter, page: PageRequest): Promise<Page<Payout>>;
}

/** Bound to one transaction. */
export interface PayoutRepository extends PayoutReader {
  /** A second caller waits until the first one's transaction ends. */
  findForUpdate(owner: Owner, id: PayoutId): Promise<Payout | undefined>;
  /**
   * A payout to this bank account that is not sent or not answered yet, if any. Call it with the row
   * of the bank account locked: new payouts wait for that lock.
   */
  findUnfinishedTo(owner: Owner, destinationId: BankAccountId): Promise<Payout | undefined>;
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
  /** Writes `payoutsEnabled` and `schedule` of an account that is locked; nothing else. */
  save(account: PayoutAccount): Promise<void>;
}
