import type { AccountReader } from '@paymount/core/access';
import { type AccountId, type AdminListFilter, environmentOf } from '@paymount/core/kernel';
import { ListQuery } from '@paymount/http';
import { z } from 'zod';
import { type AdminCall, targetAccount } from './admin-call.ts';

/** The common parameters of an admin's lists. */
export const AdminListQuery = ListQuery.extend({
  account: z.string().max(255).optional().meta({ description: 'Only objects of this account.' }),
  livemode: z.boolean().optional(),
});

/**
 * Its filters. For a mistyped account id an empty list would be misleading, so it is refused.
 * @throws PaymountError 400 `resource_missing` for an account that is unknown or that the admin may
 *   not see
 */
export async function toFilter<Status extends string = never>(
  call: AdminCall,
  query: {
    readonly account?: string | undefined;
    readonly livemode?: boolean | undefined;
    readonly status?: Status | undefined;
  },
  accounts: AccountReader,
): Promise<AdminListFilter<Status>> {
  const { account, livemode, status } = query;
  const find = (id: AccountId) => accounts.find(id);
  return {
    ...(account === undefined
      ? {}
      : { account: (await targetAccount(call, account, find, 'account')).id }),
    ...(livemode === undefined ? {} : { environment: environmentOf(livemode) }),
    ...(status === undefined ? {} : { status }),
  };
}
