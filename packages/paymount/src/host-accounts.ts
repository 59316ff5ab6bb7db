import type { AccountService } from '@paymount/auth';
import {
  type Account,
  type AccountDirectory,
  type AccountId,
  ENVIRONMENTS,
  findOrThrow,
  type Page,
  type Params,
  type Reach,
} from '@paymount/core';
import { pageOf, parseInput } from '@paymount/http';
import { AccountListQuery } from '@paymount/management';

const NAME = { noun: 'account', prefix: 'acct' } as const;

/** Merchants, for the host's own code. */
export interface HostAccounts extends AccountService {
  /** @throws PaymountError `resource_missing` */
  retrieve(id: AccountId): Promise<Account>;
  /** Newest first. @throws PaymountError `parameter_*`, `invalid_cursor` */
  list(query?: AccountListParams): Promise<Page<Account>>;
}

/** Which accounts, and which page of them. */
export type AccountListParams = Params<typeof AccountListQuery>;

/** Every account, of both environments. */
const ALL: Reach = { accounts: 'all', environments: ENVIRONMENTS };

/** The service with what reads, which commits nothing. */
export function hostAccounts(service: AccountService, directory: AccountDirectory): HostAccounts {
  return {
    ...service,
    retrieve: (id) => findOrThrow(NAME, id, (known) => directory.find(known)),
    async list(query = {}) {
      const { status, ...page } = parseInput(AccountListQuery, query, 'test');
      return directory.list(ALL, status === undefined ? {} : { status }, pageOf(page));
    },
  };
}
