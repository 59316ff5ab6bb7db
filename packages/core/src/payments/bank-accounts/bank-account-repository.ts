import type { Change } from '../../changes/change.ts';
import type { Environment, Owner } from '../../kernel/basics/environment.ts';
import type { AccountId, BankAccountId, PayoutId } from '../../kernel/basics/id.ts';
import type { AdminListFilter, AdminScope } from '../../kernel/callers/admin-scope.ts';
import type { CreatedFilter, Page, PageRequest } from '../../kernel/input/page.ts';
import type { BankAccount, LiveBankAccount } from './bank-account.ts';
import type { DestinationNews } from './bank-account-mail.ts';

export interface BankAccountReader {
  /** A deleted one too. */
  find(owner: Owner, id: BankAccountId): Promise<BankAccount | undefined>;
  /** The bank accounts of `ids` that belong to this owner, deleted ones too; one query. */
  findMany(owner: Owner, ids: readonly BankAccountId[]): Promise<readonly BankAccount[]>;
  /** Without deleted ones. @throws `invalid_cursor` */
  list(
    owner: Owner,
    filter: { readonly created?: CreatedFilter },
    page: PageRequest,
  ): Promise<Page<LiveBankAccount>>;
}

export interface BankAccountFilter extends Omit<AdminListFilter, 'status'> {
  readonly status?: LiveBankAccount['status'];
  readonly currency?: string;
}

/** Bank accounts for operators, without deleted ones. */
export interface BankAccountDirectory {
  /** @param scope bank accounts outside it are not found */
  find(scope: AdminScope, id: BankAccountId): Promise<LiveBankAccount | undefined>;
  /** Newest first. @throws `invalid_cursor` */
  list(
    scope: AdminScope,
    filter: BankAccountFilter,
    page: PageRequest,
  ): Promise<Page<LiveBankAccount>>;
}

/** A bank account that a process of an earlier version added, or made the default. */
export interface UnannouncedDestination {
  readonly news: DestinationNews;
  /** As it is now; its row is locked. */
  readonly bankAccount: BankAccount;
}

/** What processes of an earlier version changed during a deployment, without an e-mail or an audit entry. */
export interface UnannouncedDestinationQueue {
  /**
   * Takes the next one, and commits what is decided about it with that. Of two concurrent callers, only
   * one gets it. It passes over bank accounts that another transaction has locked.
   * @param passed bank accounts to leave for later
   * @returns whether there was one
   * @throws PaymountError `lock_timeout` if other rows that it writes to stay locked for 200 ms
   */
  next(
    decide: (found: UnannouncedDestination) => Change<never>,
    passed: readonly BankAccountId[],
  ): Promise<boolean>;
}

/** The account whose bank accounts they are. */
export interface AccountCurrencyReader {
  find(
    id: AccountId,
  ): Promise<{ readonly defaultCurrency: string; readonly holdsDestinations: boolean } | undefined>;
}

/** The payouts to a bank account. Bound to one transaction. */
export interface DestinationRepository {
  /**
   * A payout to this bank account that is not sent or not answered yet, if any. Call it with the row
   * of the bank account locked: new payouts wait for that lock.
   */
  findUnfinishedTo(
    owner: Owner,
    destinationId: BankAccountId,
  ): Promise<{ readonly id: PayoutId; readonly status: string } | undefined>;
  /**
   * Makes the payouts to this bank account due that were not sent yet, or that the processor does not
   * know and that wait for the end of a hold. Call it with the row of the bank account locked: new
   * payouts, and workers that send one, wait for that lock.
   */
  sendUnsentTo(owner: Owner, destinationId: BankAccountId, now: Date): Promise<void>;
}

/** The schedules that pay out to bank accounts. Bound to one transaction. */
export interface ScheduleRepository {
  /** Makes runs of an account due at once. @param only one environment and currency */
  wake(
    accountId: AccountId,
    now: Date,
    only?: { readonly environment: Environment; readonly currency: string },
  ): Promise<void>;
}

/** Bound to one transaction. */
export interface BankAccountRepository extends BankAccountReader {
  /** A second caller waits until the first one's transaction ends. */
  findForUpdate(owner: Owner, id: BankAccountId): Promise<BankAccount | undefined>;
  /**
   * The default of a currency, its row locked. While another caller moves the default, it waits, and
   * finds the next one.
   * @throws `lock_timeout` if the default moves again and again
   */
  findDefaultForUpdate(owner: Owner, currency: string): Promise<LiveBankAccount | undefined>;
  /**
   * All that are not deleted, each row locked, in order of id; at most 1,000. It locks the account
   * first, so that of two callers who add or change bank accounts the second sees what the first
   * one did: a currency never has two defaults.
   */
  lockAll(owner: Owner): Promise<readonly LiveBankAccount[]>;
}
