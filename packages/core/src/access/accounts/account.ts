import type { AccountId } from '../../kernel/basics/id.ts';
import type { AdminScope } from '../../kernel/callers/admin-scope.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';

/** A merchant. */
export interface Account {
  readonly id: AccountId;
  /** Increments with every change of the row. */
  readonly version: number;
  readonly name: string;
  /** The address for notices. */
  readonly email: string | null;
  /** ISO 3166-1 alpha-2, upper case. */
  readonly country: string;
  /** ISO 4217, lower case. */
  readonly defaultCurrency: string;
  /** All keys of a suspended account are refused; nothing else changes. */
  readonly status: 'active' | 'suspended';
  readonly suspendedAt?: Date;
  readonly created: Date;
}

export interface AccountReader {
  find(id: AccountId): Promise<Account | undefined>;
}

export interface AccountDirectory extends AccountReader {
  /** Newest first. @throws PaymountError `invalid_cursor` */
  list(
    scope: AdminScope,
    filter: { readonly status?: Account['status'] },
    page: PageRequest,
  ): Promise<Page<Account>>;
}

/** In one change of access; `find` takes no lock. */
export interface AccountRepository extends AccountReader {
  findForUpdate(id: AccountId): Promise<Account | undefined>;
  insert(account: Account): Promise<void>;
  /** Replaces the row; the caller holds its lock and incremented `version`. */
  update(account: Account): Promise<void>;
}
