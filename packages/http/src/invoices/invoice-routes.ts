import {
  DeletedInvoiceResource,
  InvoiceCreateInput,
  type InvoiceJson,
  type InvoiceLineJson,
  InvoiceLineResource,
  InvoiceResource,
  InvoiceUpdateInput,
  toDeletedInvoiceResource,
  toInvoiceLineResource,
} from '@paymount/core/billing';
import type { Call } from '@paymount/core/kernel';
import type { z } from 'zod';
import type { Expandables } from '../expandables.ts';
import {
  boundsInput,
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
import { inList } from '../routing/expand.ts';
import { Nothing, type Route, routesUnder } from '../routing/route.ts';
import type { Services } from '../services.ts';

const PATH = '/v1/invoices';

/** What `GET /v1/invoices` takes. */
export const InvoiceListQuery = ListQuery.extend({
  created: CreatedInput,
  due_date: boundsInput('Bounds, to find what is overdue: `due_date[lt]=2026-11-01T00:00:00Z`.'),
  customer: idFilter('A `cus_` id.'),
  subscription: idFilter('A `sub_` id.'),
  status: InvoiceResource.shape.status.optional(),
  collection_method: InvoiceResource.shape.collection_method.optional(),
  test_clock: clockFilter('what is on none, or of one customer or subscription all'),
});

/** Invoices: create, retrieve, update, list, delete. */
export function invoiceRoutes(
  { invoices }: Services,
  { invoice: expand, invoiceLine }: Pick<Expandables, 'invoice' | 'invoiceLine'>,
): readonly Route[] {
  const route = routesUnder(PATH);
  const scope = 'subscriptions:write';
  const shared = { scope, expand, response: InvoiceResource } as const;

  route.post(
    '',
    {
      ...shared,
      operationId: 'createInvoice',
      summary: 'Create a draft of an invoice',
      body: InvoiceCreateInput,
    },
    async ({ call, body }) => invoices.show(await invoices.create(call, body)),
  );
  route.get(
    '',
    {
      scope,
      operationId: 'listInvoices',
      summary: 'List invoices, newest first',
      query: InvoiceListQuery,
      response: listSchema('InvoiceList', InvoiceResource),
      expand: inList(expand),
    },
    ({ call, query }) => listInvoices(invoices, call, query),
  );
  route.get(
    '/:id',
    { ...shared, operationId: 'retrieveInvoice', summary: 'Retrieve an invoice', query: Nothing },
    async ({ call, path }) => invoices.show(await invoices.retrieve(call, path.id)),
  );
  route.post(
    '/:id',
    {
      ...shared,
      operationId: 'updateInvoice',
      summary: 'Update a draft, or the metadata of an issued invoice',
      body: InvoiceUpdateInput,
    },
    async ({ call, path, body }) => invoices.show(await invoices.update(call, path.id, body)),
  );
  route.delete(
    '/:id',
    {
      scope,
      operationId: 'deleteInvoice',
      summary: 'Delete a draft; its invoice items wait again',
      body: Nothing,
      response: DeletedInvoiceResource,
    },
    async ({ call, path }) => toDeletedInvoiceResource(await invoices.delete(call, path.id)),
  );
  route.get(
    '/:id/lines',
    {
      scope,
      operationId: 'listInvoiceLines',
      summary: 'List the lines of an invoice, in their order',
      query: ListQuery,
      response: listSchema('InvoiceLinePage', InvoiceLineResource),
      expand: inList(invoiceLine),
    },
    ({ call, path, query }) => listInvoiceLines(invoices, call, path.id, query),
  );
  return route.routes;
}

/**
 * A page of invoices, newest first.
 * @throws PaymountError `parameters_exclusive`, `resource_missing`, `invalid_cursor`
 */
export async function listInvoices(
  invoices: Services['invoices'],
  call: Call,
  query: z.output<typeof InvoiceListQuery>,
): Promise<ListJson<InvoiceJson>> {
  const { created, due_date: dueDate, customer, subscription, status } = query;
  const { collection_method: collectionMethod } = query;
  const filter = {
    ...(created && { created }),
    ...(dueDate && { dueDate }),
    ...(customer && { customer }),
    ...(subscription && { subscription }),
    ...(status && { status }),
    ...(collectionMethod && { collectionMethod }),
    ...toClockFilter(query),
  };
  const found = await invoices.list(call, filter, toPageRequest(query));
  return toListResource(PATH, found, (invoice) => invoices.show(invoice));
}

/** A page of the lines of an invoice. @throws PaymountError `resource_missing`, `invalid_cursor` */
export async function listInvoiceLines(
  invoices: Services['invoices'],
  call: Call,
  id: string,
  query: z.output<typeof ListQuery>,
): Promise<ListJson<InvoiceLineJson>> {
  const { invoice, ...page } = await invoices.listLines(call, id, toPageRequest(query));
  return toListResource(`${PATH}/${invoice.id}/lines`, page, (line) =>
    toInvoiceLineResource(invoice, line),
  );
}
