import { type AccountId, missing, type Stores } from '@paymount/core';

/** Nothing found would pass for good news about a mistyped id. @throws 404 `resource_missing` */
export async function requireAccount({ directory }: Stores, accountId: AccountId): Promise<void> {
  const account = await directory.accounts.find(accountId);
  if (account === undefined) throw missing('account', accountId);
}
