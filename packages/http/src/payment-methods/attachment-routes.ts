import {
  PaymentMethodAttachInput,
  PaymentMethodResource,
  toPaymentMethodResource,
} from '@paymount/core/payments';
import type { Expandable } from '../routing/expand.ts';
import { Nothing, type Route, routesUnder } from '../routing/route.ts';
import type { Services } from '../services.ts';

/** Payment methods of customers: attach, detach. */
export function attachmentRoutes({ attachments }: Services, expand: Expandable): readonly Route[] {
  const route = routesUnder('/v1/payment_methods');
  const writes = { scope: 'customers:write', response: PaymentMethodResource, expand } as const;

  route.post(
    '/:id/attach',
    {
      ...writes,
      operationId: 'attachPaymentMethod',
      errorStatuses: [502],
      summary: 'Attach a payment method to a customer',
      body: PaymentMethodAttachInput,
    },
    async ({ call, path, body }) =>
      toPaymentMethodResource(await attachments.attach(call, path.id, body)),
  );
  route.post(
    '/:id/detach',
    {
      ...writes,
      operationId: 'detachPaymentMethod',
      summary: 'Detach a payment method, for good',
      body: Nothing,
    },
    async ({ call, path }) => toPaymentMethodResource(await attachments.detach(call, path.id)),
  );
  return route.routes;
}
