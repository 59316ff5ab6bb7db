import type { Owner } from '../../kernel/basics/environment.ts';
import type { BankAccountId } from '../../kernel/basics/id.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import type { BankAccount, LiveBankAccount } from './bank-account.ts';

export interface BankAccountReader {
  /** A deleted one too. */
  find(owner: Owner, id: BankAccountId): Promise<BankAccount | undefined>;
  /** The bank accounts of `ids` that belong to this owner, deleted ones too; one query. */
  findMany(owner: Owner, ids: readonly BankAccountId[]): Promise<readonly BankAccount[]>;
  /** Without deleted ones. @throws `invalid_cursor` */
  list(owner: Owner, page: PageRequest): Promise<Page<LiveBankAccount>>;
}

/** Bound to one transaction. */
export interface BankAccountRepository extends BankAccountReader {
  /** A second caller waits until the first one's transaction ends. */
  findForUpdate(owner: Owner, id: BankAccountId): Promise<BankAccount | undefined>;
  /** The default of a currency, its row locked. */
  findDefaultForUpdate(owner: Owner, currency: string): Promise<LiveBankAccount | undefined>;
  /**
   * All that are not deleted, each row locked, in order of id; at most 1,000. It locks the account
   * first, so that of two callers who add or change bank accounts the second sees what the first
   * one did: a currency never has two defaults.
   */
  lockAll(owner: Owner): Promise<readonly LiveBankAccount[]>;
}
