import type { Call } from '@paymount/core/kernel';
import {
  CustomerCreateInput,
  type CustomerJson,
  CustomerResource,
  CustomerUpdateInput,
  DeletedCustomerResource,
  LiveCustomerResource,
  toAnyCustomerResource,
  toCustomerResource,
  toDeletedCustomerResource,
} from '@paymount/core/payments';
import { z } from 'zod';
import {
  CreatedInput,
  clockFilter,
  type ListJson,
  ListQuery,
  listSchema,
  toClockFilter,
  toListResource,
  toPageRequest,
} from '../lists.ts';
import { type Expandable, inList } from '../routing/expand.ts';
import { Nothing, type Route, routesUnder } from '../routing/route.ts';
import type { Services } from '../services.ts';

const PATH = '/v1/customers';

/** What `GET /v1/customers` takes. */
export const CustomerListQuery = ListQuery.extend({
  created: CreatedInput,
  email: z
    .string()
    .min(1)
    .max(320)
    .optional()
    .meta({ description: 'Only customers with exactly this e-mail address.' }),
  test_clock: clockFilter('what is on none'),
});

/** Customers: create, retrieve, update, list, delete. */
export function customerRoutes({ customers }: Services, expand: Expandable): readonly Route[] {
  const route = routesUnder(PATH);
  const writes = { scope: 'customers:write', response: LiveCustomerResource, expand } as const;
  const reads = { scope: 'customers:read', expand } as const;

  route.post(
    '',
    {
      ...writes,
      operationId: 'createCustomer',
      summary: 'Create a customer',
      body: CustomerCreateInput,
    },
    async ({ call, body }) => toCustomerResource(await customers.create(call, body)),
  );
  route.get(
    '',
    {
      ...reads,
      operationId: 'listCustomers',
      summary: 'List customers, newest first',
      query: CustomerListQuery,
      response: listSchema('CustomerList', LiveCustomerResource),
      expand: inList(expand),
    },
    ({ call, query }) => listCustomers(customers, call, query),
  );
  route.get(
    '/:id',
    {
      ...reads,
      operationId: 'retrieveCustomer',
      summary: 'Retrieve a customer',
      query: Nothing,
      response: CustomerResource,
    },
    async ({ call, path }) => toAnyCustomerResource(await customers.retrieve(call, path.id)),
  );
  route.post(
    '/:id',
    {
      ...writes,
      operationId: 'updateCustomer',
      summary: 'Update a customer',
      body: CustomerUpdateInput,
    },
    async ({ call, path, body }) => toCustomerResource(await customers.update(call, path.id, body)),
  );
  route.delete(
    '/:id',
    {
      scope: 'customers:write',
      operationId: 'deleteCustomer',
      summary: 'Delete a customer',
      body: Nothing,
      response: DeletedCustomerResource,
    },
    async ({ call, path }) => toDeletedCustomerResource(await customers.delete(call, path.id)),
  );
  return route.routes;
}

/** A page of customers, newest first. @throws PaymountError `parameters_exclusive`, `invalid_cursor` */
export async function listCustomers(
  customers: Services['customers'],
  call: Call,
  { created, email, test_clock, ...page }: z.output<typeof CustomerListQuery>,
): Promise<ListJson<CustomerJson>> {
  const filter = {
    ...(created && { created }),
    ...(email && { email }),
    ...toClockFilter({ test_clock }),
  };
  return toListResource(
    PATH,
    await customers.list(call, filter, toPageRequest(page)),
    toCustomerResource,
  );
}
