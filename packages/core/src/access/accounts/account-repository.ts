import type { AccountId } from '../../kernel/basics/id.ts';
import type { AdminScope } from '../../kernel/callers/admin-scope.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import type { Account } from './account.ts';

export interface AccountReader {
  find(id: AccountId): Promise<Account | undefined>;
}

/** Reads for admins, across accounts. */
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
