import type { Call } from '@paymount/core/kernel';
import {
  PaymentMethodCreateInput,
  type PaymentMethodJson,
  PaymentMethodResource,
  PaymentMethodUpdateInput,
  toPaymentMethodResource,
} from '@paymount/core/payments';
import { z } from 'zod';
import {
  CreatedInput,
  type ListJson,
  ListQuery,
  listSchema,
  toListResource,
  toPageRequest,
} from '../lists.ts';
import { type Expandable, inList } from '../routing/expand.ts';
import { Nothing, type Route, routesUnder } from '../routing/route.ts';
import type { Services } from '../services.ts';

const PATH = '/v1/payment_methods';

/** What `GET /v1/customers/:id/payment_methods` takes. */
export const CustomerMethodListQuery = ListQuery.extend({
  created: CreatedInput,
  type: PaymentMethodResource.shape.type.optional(),
});

/** What `GET /v1/payment_methods` takes. */
export const PaymentMethodListQuery = CustomerMethodListQuery.extend({
  customer: z.string().min(1).max(255).meta({ description: 'A `cus_` id.' }),
});

export const PaymentMethodList = listSchema('PaymentMethodList', PaymentMethodResource);

/** Payment methods: create (browsers too), retrieve, update, list. */
export function paymentMethodRoutes(
  { paymentMethods, attachments }: Services,
  expand: Expandable,
): readonly Route[] {
  const route = routesUnder(PATH);
  const writes = { scope: 'customers:write', response: PaymentMethodResource, expand } as const;

  route.post(
    '',
    {
      ...writes,
      operationId: 'createPaymentMethod',
      errorStatuses: [402, 502],
      summary: 'Create a payment method',
      publishable: true,
      body: PaymentMethodCreateInput,
    },
    async ({ call, body }) => toPaymentMethodResource(await paymentMethods.create(call, body)),
  );
  route.get(
    '',
    {
      scope: 'customers:read',
      operationId: 'listPaymentMethods',
      summary: 'List the payment methods of a customer, newest first',
      query: PaymentMethodListQuery,
      response: PaymentMethodList,
      expand: inList(expand),
    },
    ({ call, query: { customer, ...page } }) =>
      listPaymentMethods(attachments, call, { customer, param: 'customer', path: PATH }, page),
  );
  route.get(
    '/:id',
    {
      scope: 'customers:read',
      operationId: 'retrievePaymentMethod',
      summary: 'Retrieve a payment method',
      response: PaymentMethodResource,
      expand,
      query: Nothing,
    },
    async ({ call, path }) => toPaymentMethodResource(await paymentMethods.retrieve(call, path.id)),
  );
  route.post(
    '/:id',
    {
      ...writes,
      operationId: 'updatePaymentMethod',
      errorStatuses: [402],
      summary: 'Update a payment method',
      body: PaymentMethodUpdateInput,
    },
    async ({ call, path, body }) =>
      toPaymentMethodResource(await paymentMethods.update(call, path.id, body)),
  );
  return route.routes;
}

/**
 * A page of the payment methods of a customer, newest first.
 * @param of the customer, the parameter that named it (absent: the path), and the path of the list
 * @throws PaymountError `parameters_exclusive`, `resource_missing`, `invalid_cursor`
 */
export async function listPaymentMethods(
  attachments: Services['attachments'],
  call: Call,
  of: { readonly customer: string; readonly param?: string; readonly path: string },
  { created, type, ...page }: z.output<typeof CustomerMethodListQuery>,
): Promise<ListJson<PaymentMethodJson>> {
  const filter = { ...(created && { created }), ...(type && { type }) };
  const found = await attachments.list(call, of, filter, toPageRequest(page));
  return toListResource(of.path, found, toPaymentMethodResource);
}
