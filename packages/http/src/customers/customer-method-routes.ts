import { PaymentMethodResource, toPaymentMethodResource } from '@paymount/core/payments';
import {
  CustomerMethodListQuery,
  listPaymentMethods,
  PaymentMethodList,
} from '../payment-methods/payment-method-routes.ts';
import { type Expandable, inList } from '../routing/expand.ts';
import { Nothing, type Route, routesUnder } from '../routing/route.ts';
import type { Services } from '../services.ts';

/** The payment methods of a customer, below it: list, retrieve. */
export function customerMethodRoutes(
  { attachments }: Services,
  expand: Expandable,
): readonly Route[] {
  const route = routesUnder('/v1/customers/:id/payment_methods');
  route.get(
    '',
    {
      scope: 'customers:read',
      operationId: 'listCustomerPaymentMethods',
      summary: 'List the payment methods of this customer, newest first',
      query: CustomerMethodListQuery,
      response: PaymentMethodList,
      expand: inList(expand),
    },
    ({ call, path: { id }, query }) =>
      listPaymentMethods(
        attachments,
        call,
        { customer: id, path: `/v1/customers/${id}/payment_methods` },
        query,
      ),
  );
  route.get(
    '/:payment_method',
    {
      scope: 'customers:read',
      operationId: 'retrieveCustomerPaymentMethod',
      summary: 'Retrieve a payment method of this customer',
      query: Nothing,
      response: PaymentMethodResource,
      expand,
    },
    async ({ call, path }) =>
      toPaymentMethodResource(await attachments.retrieve(call, path.id, path.payment_method)),
  );
  return route.routes;
}
