import type { Admin, HostUser, HostUserAccount } from '@paymount/auth';
import { type Environment, PaymountError, parseId } from '@paymount/core/kernel';

/**
 * The account that the address of a request names.
 * @throws PaymountError 404 `resource_missing` for one that the user does not have
 */
export function accountOf({ accounts }: HostUser, named: string): HostUserAccount {
  const account = accounts.find(({ id }) => id === named);
  if (account !== undefined) return account;
  throw new PaymountError('resource_missing', 'You have no such account.');
}

/** A user of the host as the caller of the API, for one account and environment. */
export function toMerchant(
  { userId, displayName, authTime }: HostUser,
  { id, role }: Pick<HostUserAccount, 'id' | 'role'>,
  environments: readonly Environment[],
): Admin {
  const account = parseId('acct', id);
  return {
    kind: 'user',
    id: userId,
    displayName,
    authTime,
    environments,
    via: 'session',
    roles: [role],
    accounts: account === undefined ? [] : [account],
  };
}
