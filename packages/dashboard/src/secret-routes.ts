import {
  type EndpointDirectory,
  revealSecrets,
  SigningSecretsResource,
} from '@paymount/core/events';
import { Nothing } from '@paymount/http';
import { callFor, type ManagementRoute, routesUnder, target } from '@paymount/management';

const NAME = { noun: 'webhook endpoint', prefix: 'we' } as const;

export type SecretRoutesPorts = Parameters<typeof revealSecrets>[0] & {
  readonly endpoints: Pick<EndpointDirectory, 'find'>;
};

/**
 * Signing secrets on demand. Only users of the merchant may see them: admins have no such route.
 * An `Idempotency-Key` is ignored, so that no secret is stored in an answer: each request reads the
 * secrets again, and is recorded again.
 */
export function secretRoutes(ports: SecretRoutesPorts): readonly ManagementRoute[] {
  const route = routesUnder('/endpoints');
  route.post(
    '/:id/reveal_secrets',
    {
      permission: 'endpoints.write',
      freshLogin: true,
      operationId: 'revealWebhookEndpointSecrets',
      summary: 'Show the signing secrets of a webhook endpoint',
      body: Nothing,
      response: SigningSecretsResource,
    },
    async ({ call, path }) => {
      const endpoint = await target(call, NAME, path.id, (id) => ports.endpoints.find(id));
      const { claim: _, ...unkeyed } = callFor(call, endpoint);
      return revealSecrets(ports, unkeyed, endpoint);
    },
  );
  return route.routes;
}
