import type { Environment, Owner } from '../basics/environment.ts';
import type { AccountId } from '../basics/id.ts';

/**
 * The accounts and environments that an admin may see. Other objects are answered as if they did
 * not exist.
 */
export interface AdminScope {
  readonly accounts: 'all' | readonly AccountId[];
  readonly environments: readonly Environment[];
}

/** Whether a row of this owner may be seen. */
export function isInAdminScope(adminScope: AdminScope, { accountId, environment }: Owner): boolean {
  return (
    isAccountInAdminScope(adminScope, accountId) && adminScope.environments.includes(environment)
  );
}

/** Whether an account may be seen. */
export function isAccountInAdminScope({ accounts }: AdminScope, id: AccountId): boolean {
  return accounts === 'all' || accounts.includes(id);
}

/** The filters that every list of an admin takes; each is optional. */
export interface AdminListFilter<Status extends string = string> {
  readonly account?: AccountId;
  readonly environment?: Environment;
  readonly status?: Status;
}
