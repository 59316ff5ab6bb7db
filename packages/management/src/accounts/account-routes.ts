import {
  type Account,
  AccountCreateInput,
  type AccountDirectory,
  type AccountId,
  type AccountReader,
  AccountResource,
  AccountUpdateInput,
  PaymountError,
  toAccountResource,
} from '@paymount/core';
import { ListQuery, listOf, Nothing, pageOf, toListResource } from '@paymount/http';
import {
  type AdminCall,
  type ManagementRoute,
  requireIn,
  routesUnder,
  targetAccount,
} from '../admin-call.ts';
import { callerOf, type ManagementServices } from '../services.ts';

const PATH = '/accounts';
/** What `GET /accounts` takes. */
export const AccountListQuery = ListQuery.extend({
  status: AccountResource.shape.status.optional(),
});

/** Accounts: list, retrieve, create, change, suspend, resume. */
export function accountRoutes(services: ManagementServices): readonly ManagementRoute[] {
  return [...readRoutes(services.directory.accounts), ...writeRoutes(services)];
}

function find(accounts: AccountReader, call: AdminCall, id: string): Promise<Account> {
  return targetAccount(call, id, (known) => accounts.find(known));
}

function readRoutes(directory: AccountDirectory): readonly ManagementRoute[] {
  const route = routesUnder(PATH);
  const facts = { permission: 'accounts.read', answers: AccountResource } as const;

  route.get(
    '',
    {
      ...facts,
      operationId: 'listAccounts',
      summary: 'List accounts, newest first',
      query: AccountListQuery,
      answers: listOf('AccountList', AccountResource),
    },
    async ({ call, query: { status, ...query } }) => {
      const filter = status === undefined ? {} : { status };
      const page = await directory.list(call.reach, filter, pageOf(query));
      return toListResource(PATH, page, toAccountResource);
    },
  );
  route.get(
    '/:id',
    { ...facts, operationId: 'retrieveAccount', summary: 'Retrieve an account', query: Nothing },
    async ({ call, path }) => toAccountResource(await find(directory, call, path.id)),
  );
  return route.routes;
}

function writeRoutes({ accounts, directory }: ManagementServices): readonly ManagementRoute[] {
  const route = routesUnder(PATH);
  const writes = { permission: 'accounts.write', answers: AccountResource } as const;
  const suspends = { permission: 'accounts.suspend', answers: AccountResource } as const;
  const idToChange = async (call: AdminCall, id: string): Promise<AccountId> => {
    const account = await find(directory.accounts, call, id);
    requireEverywhere(call);
    return account.id;
  };

  route.post(
    '',
    {
      ...writes,
      operationId: 'createAccount',
      summary: 'Create an account',
      body: AccountCreateInput,
    },
    async ({ call, body }) => {
      requireAll(call);
      requireEverywhere(call);
      const { default_currency: defaultCurrency, email, ...rest } = body;
      const input = { ...rest, defaultCurrency, ...(email === undefined ? {} : { email }) };
      return toAccountResource(await accounts.create(input, callerOf(call, toAccountResource)));
    },
  );
  route.post(
    '/:id',
    {
      ...writes,
      operationId: 'updateAccount',
      summary: 'Change an account',
      body: AccountUpdateInput,
    },
    async ({ call, path, body: { name, email } }) => {
      const id = await idToChange(call, path.id);
      const edit = {
        ...(name === undefined ? {} : { name }),
        ...(email === undefined ? {} : { email: email || null }),
      };
      return toAccountResource(await accounts.update(id, edit, callerOf(call, toAccountResource)));
    },
  );
  route.post(
    '/:id/suspend',
    {
      ...suspends,
      operationId: 'suspendAccount',
      summary: 'Suspend an account: all of its keys are refused',
      body: Nothing,
    },
    async ({ call, path }) => {
      const id = await idToChange(call, path.id);
      return toAccountResource(await accounts.suspend(id, callerOf(call, toAccountResource)));
    },
  );
  route.post(
    '/:id/resume',
    {
      ...suspends,
      operationId: 'resumeAccount',
      summary: 'Let the keys of an account in again',
      body: Nothing,
    },
    async ({ call, path }) => {
      const id = await idToChange(call, path.id);
      return toAccountResource(await accounts.resume(id, callerOf(call, toAccountResource)));
    },
  );
  return route.routes;
}

/** An account is one in both environments: to change it takes the permission in both. */
function requireEverywhere(call: AdminCall): void {
  requireIn(call, 'live');
  requireIn(call, 'test');
}

/** What an admin of some accounts made, that admin could not see. */
function requireAll({ admin, access }: AdminCall): void {
  if (admin.accounts === 'all') return;
  throw new PaymountError(
    'permission_denied',
    'Accounts are made by who may see all of them; you see some.',
    { extra: { required_permission: access.permission } },
  );
}
