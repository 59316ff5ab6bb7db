import { GRANT_STATUSES, type Grant, GrantResource, toGrantResource } from '@paymount/core/oauth';
import { idIn, listSchema, Nothing, toListResource, toPageRequest } from '@paymount/http';
import { z } from 'zod';
import { type AdminCall, type ManagementRoute, routesUnder, target } from '../admin-call.ts';
import { AdminListQuery, toFilter } from '../admin-list-query.ts';
import { type ManagementServices, toCaller } from '../services.ts';

const PATH = '/grants';
const NAME = { noun: 'grant', prefix: 'grt' } as const;

const GrantListQuery = AdminListQuery.extend({
  platform: z.string().max(255).optional().meta({ description: 'Only grants of this platform.' }),
  status: z.enum(GRANT_STATUSES).optional(),
});

/** What merchants approved: list, retrieve, revoke. */
export function grantRoutes(services: ManagementServices): readonly ManagementRoute[] {
  const { directory, grants, usage, clock } = services;
  const route = routesUnder(PATH);
  const reads = { permission: 'grants.read', response: GrantResource } as const;
  const find = (call: AdminCall, id: string): Promise<Grant> =>
    target(call, NAME, id, (known) => directory.grants.find(known));

  route.get(
    '',
    {
      ...reads,
      operationId: 'listGrants',
      summary: 'List grants, newest first',
      query: GrantListQuery,
      response: listSchema('GrantList', GrantResource),
    },
    async ({ call, query: { platform, ...query } }) => {
      const filter = {
        ...(await toFilter(call, query, directory.accounts)),
        ...(platform === undefined ? {} : { platform: idIn('ca', platform, 'platform') }),
      };
      const page = await directory.grants.list(call.adminScope, filter, toPageRequest(query));
      const ids = page.data.map(({ id }) => id);
      const uses = await usage.findMany(ids, clock.now());
      return toListResource(PATH, page, (grant) => toGrantResource(grant, uses.get(grant.id)));
    },
  );
  route.get(
    '/:id',
    { ...reads, operationId: 'retrieveGrant', summary: 'Retrieve a grant', query: Nothing },
    async ({ call, path }) => {
      const grant = await find(call, path.id);
      const uses = await usage.findMany([grant.id], clock.now());
      return toGrantResource(grant, uses.get(grant.id));
    },
  );
  route.post(
    '/:id/revoke',
    {
      permission: 'grants.revoke',
      response: GrantResource,
      operationId: 'revokeGrant',
      summary: 'Revoke a grant permanently; its tokens are refused everywhere within 500 ms',
      body: Nothing,
    },
    async ({ call, path }) => {
      const { id } = await find(call, path.id);
      const uses = await usage.findMany([id], clock.now());
      const show = (grant: Grant) => toGrantResource(grant, uses.get(id));
      return show(await grants.revoke(id, 'admin', toCaller(call, show)));
    },
  );
  return route.routes;
}
