import { type AccountId, missing } from '@paymount/core';
import type { PostgresStorage } from '@paymount/storage-postgres';

/** Nothing found would pass for good news about a mistyped id. @throws 404 `resource_missing` */
export async function requireAccount(
  { directory }: PostgresStorage,
  accountId: AccountId,
): Promise<void> {
  const account = await directory.accounts.find(accountId);
  if (account === undefined) throw missing('account', accountId);
}
