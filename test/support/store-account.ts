import type { Account } from '@paymount/core/access';
import type { AccountId } from '@paymount/core/kernel';
import type { PostgresStorage } from '@paymount/storage-postgres';

/** Puts an account with a given id below the services, for tests of what lies under them. */
export function storeAccount(
  { access }: Pick<PostgresStorage, 'access'>,
  id: AccountId,
  created: Date,
): Promise<void> {
  const account: Account = {
    id,
    version: 1,
    name: 'Shop',
    email: null,
    country: 'DE',
    defaultCurrency: 'eur',
    status: 'active',
    created,
  };
  return access.change(async ({ accounts }) => {
    await accounts.insert(account);
    return { result: undefined, subjects: [id], audit: [] };
  });
}
