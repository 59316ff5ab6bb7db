import { ConnectedApplicationResource } from '@paymount/core/oauth';
import { z } from 'zod';
import { ListQuery, listSchema, toListResource, toPageRequest } from '../lists.ts';
import { Nothing, type Route, routesUnder } from '../routing/route.ts';
import type { Services } from '../services.ts';

const PATH = '/v1/connected_applications';

const DisconnectedApplicationResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('connected_application'),
    deleted: z.literal(true),
  })
  .meta({ id: 'DeletedConnectedApplication' });

/** The platforms that the account lets act for it: list, retrieve, disconnect. */
export function connectedApplicationRoutes({
  connectedApplications: applications,
}: Services): readonly Route[] {
  const route = routesUnder(PATH);
  const facts = { scope: 'secret_key', response: ConnectedApplicationResource } as const;

  route.get(
    '',
    {
      ...facts,
      operationId: 'listConnectedApplications',
      summary: 'List the platforms that may act for the account',
      query: ListQuery,
      response: listSchema('ConnectedApplicationList', ConnectedApplicationResource),
    },
    async ({ call, query }) =>
      toListResource(
        PATH,
        await applications.list(call.principal, toPageRequest(query)),
        (json) => json,
      ),
  );
  route.get(
    '/:id',
    {
      ...facts,
      operationId: 'retrieveConnectedApplication',
      summary: 'Retrieve a connected application by the id of its platform',
      query: Nothing,
    },
    ({ call, path }) => applications.retrieve(call, path.id),
  );
  route.delete(
    '/:id',
    {
      ...facts,
      operationId: 'deleteConnectedApplication',
      summary: 'Revoke all approvals of a platform; its tokens are refused within 500 ms',
      body: Nothing,
      response: DisconnectedApplicationResource,
    },
    ({ call, path }) => applications.disconnect(call, path.id),
  );
  return route.routes;
}
