import {
  ClientSecretRevokeInput,
  PlatformCreateInput,
  PlatformResource,
  PlatformUpdateInput,
} from '@paymount/core/oauth';
import { listSchema, Nothing } from '@paymount/http';
import { type ManagementRoute, routesUnder } from '../admin-call.ts';
import {
  PLATFORMS_PATH,
  type PlatformCallPorts,
  PlatformCalls,
  PlatformListQuery,
} from './platform-calls.ts';

/** Platforms: list, retrieve, create, change, disable, enable; and their client secrets. */
export function platformRoutes(ports: PlatformCallPorts): readonly ManagementRoute[] {
  const platforms = new PlatformCalls(ports);
  return [...readRoutes(platforms), ...writeRoutes(platforms), ...secretRoutes(platforms)];
}

function readRoutes(platforms: PlatformCalls): readonly ManagementRoute[] {
  const route = routesUnder(PLATFORMS_PATH);
  const facts = { permission: 'platforms.read', response: PlatformResource } as const;

  route.get(
    '',
    {
      ...facts,
      operationId: 'listPlatforms',
      summary: 'List platforms, newest first',
      query: PlatformListQuery,
      response: listSchema('PlatformList', PlatformResource),
    },
    ({ call, query }) => platforms.list(call, query),
  );
  route.get(
    '/:id',
    { ...facts, operationId: 'retrievePlatform', summary: 'Retrieve a platform', query: Nothing },
    ({ call, path }) => platforms.retrieve(call, path.id),
  );
  return route.routes;
}

function writeRoutes(platforms: PlatformCalls): readonly ManagementRoute[] {
  const route = routesUnder(PLATFORMS_PATH);
  const facts = { permission: 'platforms.write', response: PlatformResource } as const;

  route.post(
    '',
    {
      ...facts,
      freshLogin: true,
      operationId: 'createPlatform',
      summary: 'Create a platform; only this response shows its client secret',
      body: PlatformCreateInput,
    },
    ({ call, body }) => platforms.create(call, body),
  );
  route.post(
    '/:id',
    {
      ...facts,
      freshLogin: true,
      operationId: 'updatePlatform',
      summary: 'Change a platform; removed scopes are refused for its existing tokens too',
      body: PlatformUpdateInput,
    },
    ({ call, path, body }) => platforms.update(call, path.id, body),
  );
  route.post(
    '/:id/disable',
    {
      ...facts,
      operationId: 'disablePlatform',
      summary: 'Disable a platform: all of its tokens are refused',
      body: Nothing,
    },
    ({ call, path }) => platforms.disable(call, path.id),
  );
  route.post(
    '/:id/enable',
    {
      ...facts,
      freshLogin: true,
      operationId: 'enablePlatform',
      summary: 'Enable a platform: its tokens work again',
      body: Nothing,
    },
    ({ call, path }) => platforms.enable(call, path.id),
  );
  return route.routes;
}

function secretRoutes(platforms: PlatformCalls): readonly ManagementRoute[] {
  const route = routesUnder(PLATFORMS_PATH);
  const facts = { permission: 'platforms.write', response: PlatformResource } as const;

  route.post(
    '/:id/create_secret',
    {
      ...facts,
      freshLogin: true,
      operationId: 'createClientSecret',
      summary: 'Create a second client secret; only this response shows it',
      body: Nothing,
    },
    ({ call, path }) => platforms.createSecret(call, path.id),
  );
  route.post(
    '/:id/revoke_secret',
    {
      ...facts,
      operationId: 'revokeClientSecret',
      summary: 'Revoke a client secret permanently',
      body: ClientSecretRevokeInput,
    },
    ({ call, path, body }) => platforms.revokeSecret(call, path.id, body),
  );
  return route.routes;
}
