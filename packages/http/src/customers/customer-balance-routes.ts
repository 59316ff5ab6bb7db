import {
  CustomerBalanceTransactionCreateInput,
  type CustomerBalanceTransactionJson,
  CustomerBalanceTransactionResource,
  CustomerBalanceTransactionUpdateInput,
  toCustomerBalanceTransactionResource,
} from '@paymount/core/billing';
import { type Call, CurrencyInput } from '@paymount/core/kernel';
import type { z } from 'zod';
import {
  CreatedInput,
  idFilter,
  type ListJson,
  ListQuery,
  listSchema,
  toListResource,
  toPageRequest,
} from '../lists.ts';
import { type Expandable, inList } from '../routing/expand.ts';
import { Nothing, type Route, routesUnder } from '../routing/route.ts';
import type { Services } from '../services.ts';

/** What `GET /v1/customers/:id/balance_transactions` takes. */
export const CustomerBalanceListQuery = ListQuery.extend({
  created: CreatedInput,
  currency: CurrencyInput.optional(),
  invoice: idFilter('Only those of this invoice.'),
});

/**
 * The balance of a customer, below it: create, list, retrieve, update. The scopes that write invoices or
 * customers also read it, as there is no scope that reads invoices.
 */
export function customerBalanceRoutes(
  { customerBalances }: Services,
  expand: Expandable,
): readonly Route[] {
  const route = routesUnder('/v1/customers/:id/balance_transactions');
  const shared = { scope: 'subscriptions:write', orScope: 'customers:write' } as const;
  const one = { ...shared, expand, response: CustomerBalanceTransactionResource } as const;

  route.post(
    '',
    {
      ...one,
      operationId: 'createCustomerBalanceTransaction',
      summary: 'Adjust the balance of this customer',
      body: CustomerBalanceTransactionCreateInput,
    },
    async ({ call, path, body }) =>
      toCustomerBalanceTransactionResource(await customerBalances.create(call, path.id, body)),
  );
  route.get(
    '',
    {
      ...shared,
      operationId: 'listCustomerBalanceTransactions',
      summary: 'List what moved the balance of this customer, newest first',
      query: CustomerBalanceListQuery,
      response: listSchema('CustomerBalanceTransactionList', CustomerBalanceTransactionResource),
      expand: inList(expand),
    },
    ({ call, path, query }) => listBalanceTransactions(customerBalances, call, path.id, query),
  );
  route.get(
    '/:transaction',
    {
      ...one,
      operationId: 'retrieveCustomerBalanceTransaction',
      summary: 'Retrieve what moved the balance of this customer',
      query: Nothing,
    },
    async ({ call, path }) =>
      toCustomerBalanceTransactionResource(
        await customerBalances.retrieve(call, path.id, path.transaction),
      ),
  );
  route.post(
    '/:transaction',
    {
      ...one,
      operationId: 'updateCustomerBalanceTransaction',
      summary: 'Update the description and the metadata of a move; its amount never changes',
      body: CustomerBalanceTransactionUpdateInput,
    },
    async ({ call, path, body }) =>
      toCustomerBalanceTransactionResource(
        await customerBalances.update(call, path.id, path.transaction, body),
      ),
  );
  return route.routes;
}

/**
 * A page of what moved the balance of a customer, newest first.
 * @param customer the id of the customer, as it was sent
 * @throws PaymountError `parameters_exclusive`, `resource_missing`, `invalid_cursor`
 */
export async function listBalanceTransactions(
  customerBalances: Services['customerBalances'],
  call: Call,
  customer: string,
  { created, currency, invoice, ...page }: z.output<typeof CustomerBalanceListQuery>,
): Promise<ListJson<CustomerBalanceTransactionJson>> {
  const filter = {
    ...(created && { created }),
    ...(currency && { currency }),
    ...(invoice && { invoiceId: invoice }),
  };
  return toListResource(
    `/v1/customers/${customer}/balance_transactions`,
    await customerBalances.list(call, customer, filter, toPageRequest(page)),
    toCustomerBalanceTransactionResource,
  );
}
