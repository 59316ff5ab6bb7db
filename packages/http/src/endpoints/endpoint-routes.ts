import {
  EndpointCreateInput,
  type EndpointJson,
  EndpointResource,
  EndpointRotateSecretInput,
  EndpointUpdateInput,
  toEndpointResource,
} from '@paymount/core/events';
import type { Call } from '@paymount/core/kernel';
import { z } from 'zod';
import { type ListJson, ListQuery, listSchema, toListResource, toPageRequest } from '../lists.ts';
import { Nothing, type Route, routesUnder } from '../routing/route.ts';
import type { Services } from '../services.ts';

const PATH = '/v1/webhook_endpoints';

const DeletedEndpointResource = z
  .strictObject({ id: z.string(), object: z.literal('webhook_endpoint'), deleted: z.literal(true) })
  .meta({ id: 'DeletedWebhookEndpoint' });

/**
 * Webhook endpoints: create and rotate (only their answers show the secret), update, list, delete.
 */
export function endpointRoutes(services: Services): readonly Route[] {
  return [...readRoutes(services), ...writeRoutes(services)];
}

function readRoutes({ endpoints }: Services): readonly Route[] {
  const route = routesUnder(PATH);
  const facts = { scope: 'webhooks:write', response: EndpointResource } as const;

  route.get(
    '',
    {
      ...facts,
      operationId: 'listWebhookEndpoints',
      summary: 'List webhook endpoints, newest first',
      query: ListQuery,
      response: listSchema('WebhookEndpointList', EndpointResource),
    },
    ({ call, query }) => listEndpoints(endpoints, call, query),
  );
  route.get(
    '/:id',
    {
      ...facts,
      operationId: 'retrieveWebhookEndpoint',
      summary: 'Retrieve a webhook endpoint',
      query: Nothing,
    },
    async ({ call, path }) => toEndpointResource(await endpoints.retrieve(call, path.id)),
  );
  return route.routes;
}

function writeRoutes({ endpoints }: Services): readonly Route[] {
  const route = routesUnder(PATH);
  const facts = { scope: 'webhooks:write', response: EndpointResource } as const;

  route.post(
    '',
    {
      ...facts,
      operationId: 'createWebhookEndpoint',
      summary: 'Register a webhook endpoint',
      body: EndpointCreateInput,
    },
    async ({ call, body }) => {
      const { endpoint, secret } = await endpoints.create(call, body);
      return toEndpointResource(endpoint, { secret });
    },
  );
  route.post(
    '/:id',
    {
      ...facts,
      operationId: 'updateWebhookEndpoint',
      summary: 'Update a webhook endpoint',
      body: EndpointUpdateInput,
    },
    async ({ call, path, body }) => {
      const { endpoint, ...once } = await endpoints.update(call, path.id, body);
      return toEndpointResource(endpoint, once);
    },
  );
  route.post(
    '/:id/rotate_secret',
    {
      ...facts,
      operationId: 'rotateWebhookEndpointSecret',
      summary: 'Give a webhook endpoint a new signing secret',
      body: EndpointRotateSecretInput,
    },
    async ({ call, path, body }) => {
      const { endpoint, secret } = await endpoints.rotateSecret(call, path.id, body);
      return toEndpointResource(endpoint, { secret });
    },
  );
  route.delete(
    '/:id',
    {
      ...facts,
      operationId: 'deleteWebhookEndpoint',
      summary: 'Delete a webhook endpoint',
      body: Nothing,
      response: DeletedEndpointResource,
    },
    async ({ call, path }) => {
      const { id } = await endpoints.delete(call, path.id);
      return { id, object: 'webhook_endpoint', deleted: true };
    },
  );
  return route.routes;
}

/** A page of endpoints, newest first. @throws PaymountError `parameters_exclusive`, `invalid_cursor` */
export async function listEndpoints(
  endpoints: Services['endpoints'],
  call: Call,
  query: z.output<typeof ListQuery>,
): Promise<ListJson<EndpointJson>> {
  return toListResource(PATH, await endpoints.list(call, toPageRequest(query)), (endpoint) =>
    toEndpointResource(endpoint),
  );
}
