import { TokenCreateInput, TokenResource, toTokenResource } from '@paymount/core/payments';
import { Nothing, type Route, routesUnder } from '../routing/route.ts';
import type { Services } from '../services.ts';

/** Tokens: create (browsers too), retrieve. */
export function tokenRoutes({ paymentMethods }: Services): readonly Route[] {
  const route = routesUnder('/v1/tokens');
  route.post(
    '',
    {
      scope: 'customers:write',
      operationId: 'createToken',
      errorStatuses: [402, 502],
      summary: 'Turn a card or bank account into a token: single use, 15 minutes',
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
