import {
  KeyCreateInput,
  KeyResource,
  KeyRevokeInput,
  KeyRotateInput,
  KeyUpdateInput,
} from '@paymount/core/access';
import { listSchema, Nothing } from '@paymount/http';
import { type ManagementRoute, routesUnder } from '../admin-call.ts';
import type { ManagementServices } from '../services.ts';
import { KEYS_PATH, KeyCalls, KeyListQuery } from './key-calls.ts';
import { keyUseRoutes } from './key-use-routes.ts';

/** Keys: list, retrieve, create, change, rotate, revoke; and their usage. */
export function keyRoutes(services: ManagementServices): readonly ManagementRoute[] {
  const keys = new KeyCalls(services);
  return [
    ...readRoutes(keys),
    ...makeRoutes(keys),
    ...changeRoutes(keys),
    ...keyUseRoutes(services, keys),
  ];
}

function readRoutes(keys: KeyCalls): readonly ManagementRoute[] {
  const route = routesUnder(KEYS_PATH);
  const facts = { permission: 'keys.read', response: KeyResource } as const;

  route.get(
    '',
    {
      ...facts,
      operationId: 'listKeys',
      summary: 'List keys, newest first',
      query: KeyListQuery,
      response: listSchema('KeyList', KeyResource),
    },
    ({ call, query }) => keys.list(call, query),
  );
  route.get(
    '/:id',
    { ...facts, operationId: 'retrieveKey', summary: 'Retrieve a key', query: Nothing },
    ({ call, path }) => keys.retrieve(call, path.id),
  );
  return route.routes;
}

function makeRoutes(keys: KeyCalls): readonly ManagementRoute[] {
  const route = routesUnder(KEYS_PATH);
  const facts = { permission: 'keys.write', response: KeyResource } as const;

  route.post(
    '',
    {
      ...facts,
      freshLogin: true,
      operationId: 'createKey',
      summary: 'Create a key; only this answer shows it',
      body: KeyCreateInput,
    },
    ({ call, body }) => keys.create(call, body),
  );
  route.post(
    '/:id/rotate',
    {
      ...facts,
      freshLogin: true,
      destructive: true,
      operationId: 'rotateKey',
      summary: 'Create the successor of a key; only this answer shows it',
      body: KeyRotateInput,
    },
    ({ call, path, body }) => keys.rotate(call, path.id, body),
  );
  return route.routes;
}

function changeRoutes(keys: KeyCalls): readonly ManagementRoute[] {
  const route = routesUnder(KEYS_PATH);
  const facts = { permission: 'keys.write', response: KeyResource } as const;

  route.post(
    '/:id',
    {
      ...facts,
      operationId: 'updateKey',
      summary:
        'Change a key; in live, other scopes, addresses or a later end need a login of the last ' +
        '10 minutes',
      body: KeyUpdateInput,
    },
    ({ call, path, body }) => keys.update(call, path.id, body),
  );
  route.post(
    '/:id/revoke',
    {
      ...facts,
      permission: 'keys.revoke',
      operationId: 'revokeKey',
      summary: 'Revoke a key permanently; it is refused everywhere within 500 ms',
      body: KeyRevokeInput,
    },
    ({ call, path, body }) => keys.revoke(call, path.id, body),
  );
  return route.routes;
}
