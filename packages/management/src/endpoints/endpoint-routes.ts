import {
  AdminEndpointResource,
  type Endpoint,
  EndpointCreateInput,
  EndpointRotateSecretInput,
  EndpointUpdateInput,
  toAdminEndpointResource,
} from '@paymount/core/events';
import { listSchema, Nothing, toListResource, toPageRequest } from '@paymount/http';
import { z } from 'zod';
import {
  type AdminCall,
  callFor,
  type ManagementRoute,
  newOwner,
  routesUnder,
  target,
} from '../admin-call.ts';
import { AdminListQuery, toFilter } from '../admin-list-query.ts';
import type { AdminDirectories, ManagementServices } from '../services.ts';

const PATH = '/endpoints';
const NAME = { noun: 'webhook endpoint', prefix: 'we' } as const;

const EndpointListQuery = AdminListQuery.extend({
  status: AdminEndpointResource.shape.status.optional(),
  failing: z.boolean().optional().meta({
    description: 'Only endpoints whose last attempt failed, or only others.',
  }),
});
const AdminEndpointCreateInput = EndpointCreateInput.safeExtend({
  account: z.string().max(255),
  livemode: z.boolean(),
}).meta({ id: 'WebhookEndpointCreate' });
const DeletedEndpointResource = z
  .strictObject({ id: z.string(), object: z.literal('webhook_endpoint'), deleted: z.literal(true) })
  .meta({ id: 'DeletedWebhookEndpoint' });

/** Webhook endpoints: list, retrieve, register, change, rotate their secret, delete. */
export function endpointRoutes(services: ManagementServices): readonly ManagementRoute[] {
  return [...readRoutes(services.directory), ...writeRoutes(services)];
}

function find({ endpoints }: AdminDirectories, call: AdminCall, id: string): Promise<Endpoint> {
  return target(call, NAME, id, (known) => endpoints.find(known));
}

function readRoutes(directory: AdminDirectories): readonly ManagementRoute[] {
  const route = routesUnder(PATH);
  const facts = { permission: 'endpoints.read', response: AdminEndpointResource } as const;

  route.get(
    '',
    {
      ...facts,
      operationId: 'listWebhookEndpoints',
      summary: 'List webhook endpoints, newest first',
      query: EndpointListQuery,
      response: listSchema('WebhookEndpointList', AdminEndpointResource),
    },
    async ({ call, query }) => {
      const { failing } = query;
      const filter = {
        ...(await toFilter(call, query, directory.accounts)),
        ...(failing !== undefined && { failing }),
      };
      const page = await directory.endpoints.list(call.adminScope, filter, toPageRequest(query));
      return toListResource(PATH, page, (endpoint) => toAdminEndpointResource(endpoint));
    },
  );
  route.get(
    '/:id',
    {
      ...facts,
      operationId: 'retrieveWebhookEndpoint',
      summary: 'Retrieve a webhook endpoint',
      query: Nothing,
    },
    async ({ call, path }) => toAdminEndpointResource(await find(directory, call, path.id)),
  );
  return route.routes;
}

function writeRoutes({ endpoints, directory }: ManagementServices): readonly ManagementRoute[] {
  const route = routesUnder(PATH);
  const facts = { permission: 'endpoints.write', response: AdminEndpointResource } as const;

  route.post(
    '',
    {
      ...facts,
      operationId: 'createWebhookEndpoint',
      summary: 'Register a webhook endpoint',
      body: AdminEndpointCreateInput,
    },
    async ({ call, body: { account, livemode, ...input } }) => {
      const owner = await newOwner(call, { account, livemode }, directory.accounts);
      const { endpoint, secret } = await endpoints.create(callFor(call, owner), input);
      return toAdminEndpointResource(endpoint, { secret });
    },
  );
  route.post(
    '/:id',
    {
      ...facts,
      operationId: 'updateWebhookEndpoint',
      summary: 'Change a webhook endpoint',
      body: EndpointUpdateInput,
    },
    async ({ call, path, body }) => {
      const { id, ...owner } = await find(directory, call, path.id);
      const { endpoint, ...once } = await endpoints.update(callFor(call, owner), id, body);
      return toAdminEndpointResource(endpoint, once);
    },
  );
  route.post(
    '/:id/rotate_secret',
    {
      ...facts,
      destructive: true,
      operationId: 'rotateWebhookEndpointSecret',
      summary: 'Give a webhook endpoint a new signing secret',
      body: EndpointRotateSecretInput,
    },
    async ({ call, path, body }) => {
      const { id, ...owner } = await find(directory, call, path.id);
      const { endpoint, secret } = await endpoints.rotateSecret(callFor(call, owner), id, body);
      return toAdminEndpointResource(endpoint, { secret });
    },
  );
  route.delete(
    '/:id',
    {
      ...facts,
      destructive: true,
      operationId: 'deleteWebhookEndpoint',
      summary: 'Delete a webhook endpoint',
      body: Nothing,
      response: DeletedEndpointResource,
    },
    async ({ call, path }) => {
      const { id, ...owner } = await find(directory, call, path.id);
      await endpoints.delete(callFor(call, owner), id);
      return { id, object: 'webhook_endpoint', deleted: true };
    },
  );
  return route.routes;
}
