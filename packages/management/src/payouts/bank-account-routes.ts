import { CurrencyInput } from '@paymount/core/kernel';
import {
  BankAccountConfirmInput,
  type LiveBankAccount,
  LiveBankAccountResource,
  toBankAccountResource,
} from '@paymount/core/payments';
import { listSchema, Nothing, toListResource, toPageRequest } from '@paymount/http';
import {
  type AdminCall,
  callFor,
  type ManagementRoute,
  routesUnder,
  target,
} from '../admin-call.ts';
import { AdminListQuery, toFilter } from '../admin-list-query.ts';
import type { ManagementServices } from '../services.ts';

const PATH = '/bank_accounts';
const NAME = { noun: 'bank account', prefix: 'ba' } as const;

const BankAccountListQuery = AdminListQuery.extend({
  status: LiveBankAccountResource.shape.status.optional(),
  currency: CurrencyInput.optional(),
});

/** The bank accounts of merchants: list, retrieve, confirm, restore. */
export function bankAccountRoutes({
  bankAccounts,
  directory,
}: ManagementServices): readonly ManagementRoute[] {
  const route = routesUnder(PATH);
  const writes = {
    permission: 'payouts.write',
    response: LiveBankAccountResource,
    freshLogin: true,
  } as const;
  const reads = { permission: 'payouts.read', response: LiveBankAccountResource } as const;
  const find = (call: AdminCall, id: string): Promise<LiveBankAccount> =>
    target(call, NAME, id, (known) => directory.bankAccounts.find(call.admin, known));

  route.get(
    '',
    {
      ...reads,
      operationId: 'listBankAccounts',
      summary: 'List bank accounts, newest first',
      query: BankAccountListQuery,
      response: listSchema('BankAccountList', LiveBankAccountResource),
    },
    async ({ call, query }) => {
      const { account, livemode, status, currency } = query;
      const filter = {
        ...(await toFilter(call, { account, livemode }, directory.accounts)),
        ...(status && { status }),
        ...(currency && { currency }),
      };
      const page = await directory.bankAccounts.list(call.adminScope, filter, toPageRequest(query));
      return toListResource(PATH, page, toBankAccountResource);
    },
  );
  route.get(
    '/:id',
    {
      ...reads,
      operationId: 'retrieveBankAccount',
      summary: 'Retrieve a bank account',
      query: Nothing,
    },
    async ({ call, path }) => toBankAccountResource(await find(call, path.id)),
  );
  route.post(
    '/:id/confirm',
    {
      ...writes,
      operationId: 'confirmBankAccount',
      summary: 'Confirm a bank account: payouts that wait for it are sent at once',
      body: BankAccountConfirmInput,
    },
    async ({ call, path, body }) => {
      const found = await find(call, path.id);
      return toBankAccountResource(
        await bankAccounts.confirm(callFor(call, found), found.id, body),
      );
    },
  );
  route.post(
    '/:id/restore',
    {
      ...writes,
      operationId: 'restoreBankAccount',
      summary: 'Restore an errored bank account: payouts go there again, and its schedule starts',
      body: Nothing,
    },
    async ({ call, path }) => {
      const found = await find(call, path.id);
      return toBankAccountResource(await bankAccounts.restore(callFor(call, found), found.id));
    },
  );
  return route.routes;
}
