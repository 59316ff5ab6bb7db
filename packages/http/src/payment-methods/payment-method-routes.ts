import {
  PaymentMethodCreateInput,
  PaymentMethodResource,
  PaymentMethodUpdateInput,
  TokenCreateInput,
  TokenResource,
  toPaymentMethodResource,
  toTokenResource,
} from '@paymount/core/payments';
import type { Expandable } from '../routing/expand.ts';
import { Nothing, type Route, routesUnder } from '../routing/route.ts';
import type { Services } from '../services.ts';

/** Payment methods: create (browsers too), retrieve, update. */
export function paymentMethodRoutes(
  { paymentMethods }: Services,
  expand: Expandable,
): readonly Route[] {
  const route = routesUnder('/v1/payment_methods');
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

/** Tokens: create (browsers too), retrieve. */
export function tokenRoutes({ paymentMethods }: Services): readonly Route[] {
  const route = routesUnder('/v1/tokens');
  route.post(
    '',
    {
      scope: 'customers:write',
      operationId: 'createToken',
      errorStatuses: [402, 502],
      summary: 'Turn a card into a token: single use, 15 minutes',
      publishable: true,
      response: TokenResource,
      body: TokenCreateInput,
    },
    async ({ call, body }) => toTokenResource(await paymentMethods.createToken(call, body)),
  );
  route.get(
    '/:id',
    {
      scope: 'customers:read',
      operationId: 'retrieveToken',
      summary: 'Retrieve a token',
      response: TokenResource,
      query: Nothing,
    },
    async ({ call, path }) => toTokenResource(await paymentMethods.retrieveToken(call, path.id)),
  );
  return route.routes;
}
