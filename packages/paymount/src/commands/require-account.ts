import { type AccountId, missing } from '@paymount/core/kernel';
import type { Stores } from '@paymount/core/store';

/** For a mistyped id an empty result would be misleading. @throws 404 `resource_missing` */
export async function requireAccount({ directory }: Stores, accountId: AccountId): Promise<void> {
  const account = await directory.accounts.find(accountId);
  if (account === undefined) throw missing('account', accountId);
}
