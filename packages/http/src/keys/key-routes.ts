import { KeyResource } from '@paymount/core/access';
import { ListQuery, listSchema, toListResource, toPageRequest } from '../lists.ts';
import { type Expandable, inList } from '../routing/expand.ts';
import { Nothing, type Route, routesUnder } from '../routing/route.ts';
import type { Services } from '../services.ts';

const PATH = '/v1/api_keys';

/** Keys of the account: retrieve, list, revoke. They are created and replaced elsewhere. */
export function keyRoutes({ ownKeys }: Services, expand: Expandable): readonly Route[] {
  const route = routesUnder(PATH);
  const facts = { scope: 'secret_key', response: KeyResource, expand } as const;

  route.get(
    '',
    {
      ...facts,
      operationId: 'listKeys',
      summary: 'List keys, newest first',
      query: ListQuery,
      response: listSchema('KeyList', KeyResource),
      expand: inList(expand),
    },
    async ({ call, query }) =>
      toListResource(PATH, await ownKeys.list(call, toPageRequest(query)), (key) => key),
  );
  route.get(
    '/:id',
    { ...facts, operationId: 'retrieveKey', summary: 'Retrieve a key', query: Nothing },
    ({ call, path }) => ownKeys.retrieve(call, path.id),
  );
  route.post(
    '/:id/revoke',
    { ...facts, operationId: 'revokeKey', summary: 'Revoke a key permanently', body: Nothing },
    ({ call, path }) => ownKeys.revoke(call, path.id),
  );
  return route.routes;
}
