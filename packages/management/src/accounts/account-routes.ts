import { AccountCreateInput, AccountResource, AccountUpdateInput } from '@paymount/core/access';
import { listSchema, Nothing } from '@paymount/http';
import { type ManagementRoute, routesUnder } from '../admin-call.ts';
import {
  ACCOUNTS_PATH,
  type AccountCallPorts,
  AccountCalls,
  AccountListQuery,
} from './account-calls.ts';

/** Accounts: list, retrieve, create, change, suspend, resume. */
export function accountRoutes(ports: AccountCallPorts): readonly ManagementRoute[] {
  const accounts = new AccountCalls(ports);
  return [...readRoutes(accounts), ...writeRoutes(accounts)];
}

function readRoutes(accounts: AccountCalls): readonly ManagementRoute[] {
  const route = routesUnder(ACCOUNTS_PATH);
  const facts = { permission: 'accounts.read', response: AccountResource } as const;

  route.get(
    '',
    {
      ...facts,
      operationId: 'listAccounts',
      summary: 'List accounts, newest first',
      query: AccountListQuery,
      response: listSchema('AccountList', AccountResource),
    },
    ({ call, query }) => accounts.list(call, query),
  );
  route.get(
    '/:id',
    { ...facts, operationId: 'retrieveAccount', summary: 'Retrieve an account', query: Nothing },
    ({ call, path }) => accounts.retrieve(call, path.id),
  );
  return route.routes;
}

function writeRoutes(accounts: AccountCalls): readonly ManagementRoute[] {
  const route = routesUnder(ACCOUNTS_PATH);
  const writes = { permission: 'accounts.write', response: AccountResource } as const;
  const suspends = { permission: 'accounts.suspend', response: AccountResource } as const;

  route.post(
    '',
    {
      ...writes,
      operationId: 'createAccount',
      summary: 'Create an account',
      body: AccountCreateInput,
    },
    ({ call, body }) => accounts.create(call, body),
  );
  route.post(
    '/:id',
    {
      ...writes,
      operationId: 'updateAccount',
      summary: 'Change an account',
      body: AccountUpdateInput,
    },
    ({ call, path, body }) => accounts.update(call, path.id, body),
  );
  route.post(
    '/:id/suspend',
    {
      ...suspends,
      operationId: 'suspendAccount',
      summary: 'Suspend an account: all of its keys are refused',
      body: Nothing,
    },
    ({ call, path }) => accounts.suspend(call, path.id),
  );
  route.post(
    '/:id/resume',
    {
      ...suspends,
      operationId: 'resumeAccount',
      summary: 'Resume an account: its keys work again',
      body: Nothing,
    },
    ({ call, path }) => accounts.resume(call, path.id),
  );
  return route.routes;
}
