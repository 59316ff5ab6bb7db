import {
  BankAccountResource,
  DeletedBankAccountResource,
  ExternalAccountCreateInput,
  ExternalAccountUpdateInput,
  LiveBankAccountResource,
  OwnAccountResource,
  toAnyBankAccountResource,
  toBankAccountResource,
  toDeletedBankAccountResource,
  toOwnAccountResource,
} from '@paymount/core/payments';
import { CreatedListQuery, listSchema, toListResource, toPageRequest } from '../lists.ts';
import { Nothing, type Route, routesUnder } from '../routing/route.ts';
import type { Services } from '../services.ts';

const EXTERNAL = '/external_accounts';
const scope = 'secret_key';

/** The account of the key. */
export function ownAccountRoutes({ ownAccount }: Pick<Services, 'ownAccount'>): readonly Route[] {
  const retrieves = { scope, response: OwnAccountResource, query: Nothing } as const;
  const own = routesUnder('/v1/account');
  own.get(
    '',
    { ...retrieves, operationId: 'retrieveOwnAccount', summary: 'Retrieve the account of the key' },
    async ({ call }) => toOwnAccountResource(await ownAccount.retrieve(call)),
  );

  const byId = routesUnder('/v1/accounts/:id');
  byId.get(
    '',
    { ...retrieves, operationId: 'retrieveAccount', summary: 'Retrieve the account by its id' },
    async ({ call, path }) => toOwnAccountResource(await ownAccount.retrieve(call, path.id)),
  );
  return [...own.routes, ...byId.routes];
}

type Ports = Pick<Services, 'ownAccount' | 'bankAccounts'>;

/** The bank accounts that payouts go to: create, list, retrieve, update, delete. */
export function externalAccountRoutes(services: Ports): readonly Route[] {
  return [...listRoutes(services), ...itemRoutes(services)];
}

function listRoutes({ ownAccount, bankAccounts }: Ports): readonly Route[] {
  const route = routesUnder('/v1/accounts/:id');
  route.post(
    EXTERNAL,
    {
      scope,
      operationId: 'createExternalAccount',
      summary: 'Add a bank account for payouts',
      body: ExternalAccountCreateInput,
      response: LiveBankAccountResource,
    },
    async ({ call, path, body }) => {
      ownAccount.assertOwn(call, path.id);
      return toBankAccountResource(await bankAccounts.create(call, body));
    },
  );
  route.get(
    EXTERNAL,
    {
      scope,
      operationId: 'listExternalAccounts',
      summary: 'List the bank accounts for payouts, newest first',
      query: CreatedListQuery,
      response: listSchema('BankAccountList', LiveBankAccountResource),
    },
    async ({ call, path, query: { created, ...asked } }) => {
      ownAccount.assertOwn(call, path.id);
      const filter = { ...(created && { created }) };
      const page = await bankAccounts.list(call, filter, toPageRequest(asked));
      return toListResource(`/v1/accounts/${path.id}${EXTERNAL}`, page, toBankAccountResource);
    },
  );
  return route.routes;
}

function itemRoutes({ ownAccount, bankAccounts }: Ports): readonly Route[] {
  const route = routesUnder(`/v1/accounts/:id${EXTERNAL}/:external`);
  route.get(
    '',
    {
      scope,
      operationId: 'retrieveExternalAccount',
      summary: 'Retrieve a bank account',
      query: Nothing,
      response: BankAccountResource,
    },
    async ({ call, path }) => {
      ownAccount.assertOwn(call, path.id);
      return toAnyBankAccountResource(await bankAccounts.retrieve(call, path.external));
    },
  );
  route.post(
    '',
    {
      scope,
      operationId: 'updateExternalAccount',
      summary: 'Update a bank account, or make it the default of its currency',
      body: ExternalAccountUpdateInput,
      response: LiveBankAccountResource,
    },
    async ({ call, path, body }) => {
      ownAccount.assertOwn(call, path.id);
      return toBankAccountResource(await bankAccounts.update(call, path.external, body));
    },
  );
  route.delete(
    '',
    {
      scope,
      operationId: 'deleteExternalAccount',
      summary: 'Delete a bank account',
      body: Nothing,
      response: DeletedBankAccountResource,
    },
    async ({ call, path }) => {
      ownAccount.assertOwn(call, path.id);
      return toDeletedBankAccountResource(await bankAccounts.delete(call, path.external));
    },
  );
  return route.routes;
}
