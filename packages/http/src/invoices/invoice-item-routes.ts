import {
  DeletedInvoiceItemResource,
  InvoiceItemCreateInput,
  type InvoiceItemJson,
  InvoiceItemResource,
  InvoiceItemUpdateInput,
  toDeletedInvoiceItemResource,
  toInvoiceItemResource,
} from '@paymount/core/billing';
import type { Call } from '@paymount/core/kernel';
import { z } from 'zod';
import {
  CreatedInput,
  clockFilter,
  idFilter,
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

const PATH = '/v1/invoiceitems';

/** What `GET /v1/invoiceitems` takes. */
export const InvoiceItemListQuery = ListQuery.extend({
  created: CreatedInput,
  customer: idFilter('A `cus_` id.'),
  invoice: idFilter('An `in_` id.'),
  pending: z
    .boolean()
    .optional()
    .meta({ description: 'Only those that wait for an invoice, or only others.' }),
  test_clock: clockFilter('what is on none, or of one customer or invoice all'),
});

/** Invoice items: create, retrieve, update, list, delete. */
export function invoiceItemRoutes(
  { invoiceItems }: Services,
  expand: Expandable,
): readonly Route[] {
  const route = routesUnder(PATH);
  const scope = 'subscriptions:write';
  const shared = { scope, expand, response: InvoiceItemResource } as const;

  route.post(
    '',
    {
      ...shared,
      operationId: 'createInvoiceItem',
      summary: 'Add an amount to the next invoice of a customer, or to a draft',
      body: InvoiceItemCreateInput,
    },
    async ({ call, body }) => toInvoiceItemResource(await invoiceItems.create(call, body)),
  );
  route.get(
    '',
    {
      scope,
      operationId: 'listInvoiceItems',
      summary: 'List invoice items, newest first',
      query: InvoiceItemListQuery,
      response: listSchema('InvoiceItemList', InvoiceItemResource),
      expand: inList(expand),
    },
    ({ call, query }) => listInvoiceItems(invoiceItems, call, query),
  );
  route.get(
    '/:id',
    {
      ...shared,
      operationId: 'retrieveInvoiceItem',
      summary: 'Retrieve an invoice item',
      query: Nothing,
    },
    async ({ call, path }) => toInvoiceItemResource(await invoiceItems.retrieve(call, path.id)),
  );
  route.post(
    '/:id',
    {
      ...shared,
      operationId: 'updateInvoiceItem',
      summary: 'Update an invoice item that is not issued',
      body: InvoiceItemUpdateInput,
    },
    async ({ call, path, body }) =>
      toInvoiceItemResource(await invoiceItems.update(call, path.id, body)),
  );
  route.delete(
    '/:id',
    {
      scope,
      operationId: 'deleteInvoiceItem',
      summary: 'Delete an invoice item that is not issued',
      body: Nothing,
      response: DeletedInvoiceItemResource,
    },
    async ({ call, path }) =>
      toDeletedInvoiceItemResource(await invoiceItems.delete(call, path.id)),
  );
  return route.routes;
}

/**
 * A page of invoice items, newest first.
 * @throws PaymountError `parameters_exclusive`, `resource_missing`, `invalid_cursor`
 */
export async function listInvoiceItems(
  invoiceItems: Services['invoiceItems'],
  call: Call,
  query: z.output<typeof InvoiceItemListQuery>,
): Promise<ListJson<InvoiceItemJson>> {
  const { created, customer, invoice, pending } = query;
  const filter = {
    ...(created && { created }),
    ...(customer && { customer }),
    ...(invoice && { invoice }),
    ...(pending !== undefined && { isPending: pending }),
    ...toClockFilter(query),
  };
  const found = await invoiceItems.list(call, filter, toPageRequest(query));
  return toListResource(PATH, found, toInvoiceItemResource);
}
