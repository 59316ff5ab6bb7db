import {
  EXPUNGE_STATUSES,
  ExpungeCreateInput,
  type ExpungeRequest,
  ExpungeRequestResource,
  toExpungeRequestResource,
} from '@paymount/core/expunging';
import { findOrThrow } from '@paymount/core/kernel';
import { CreatedInput, listSchema, Nothing, toListResource, toPageRequest } from '@paymount/http';
import { z } from 'zod';
import {
  type AdminCall,
  callFor,
  type ManagementRoute,
  newOwner,
  requireIn,
  routesUnder,
} from '../admin-call.ts';
import { AdminListQuery, toFilter } from '../admin-list-query.ts';
import type { ManagementServices } from '../services.ts';

const PATH = '/expunge_requests';
const NAME = { noun: 'expunge request', prefix: 'expr' } as const;

const ExpungeListQuery = AdminListQuery.extend({
  status: z.enum(EXPUNGE_STATUSES).optional(),
  created: CreatedInput,
});
const AdminExpungeCreateInput = ExpungeCreateInput.safeExtend({
  account: z.string().max(255),
  livemode: z.boolean(),
  created: CreatedInput,
}).meta({ id: 'ExpungeRequestCreate' });

/** Requests to delete the data of events: list, retrieve with progress, create. */
export function expungeRoutes({
  expunges,
  directory,
}: ManagementServices): readonly ManagementRoute[] {
  const route = routesUnder(PATH);
  const reads = { permission: 'deliveries.read', response: ExpungeRequestResource } as const;
  const find = async (call: AdminCall, text: string): Promise<ExpungeRequest> => {
    const request = await findOrThrow(NAME, text, (id) => directory.expunges.find(call.admin, id));
    requireIn(call, request.environment);
    return request;
  };

  route.get(
    '',
    {
      ...reads,
      operationId: 'listExpungeRequests',
      summary: 'List expunge requests, newest first',
      query: ExpungeListQuery,
      response: listSchema('ExpungeRequestList', ExpungeRequestResource),
    },
    async ({ call, query: { created, ...query } }) => {
      const filter = {
        ...(await toFilter(call, query, directory.accounts)),
        ...(created && { created }),
      };
      const page = await directory.expunges.list(call.adminScope, filter, toPageRequest(query));
      return toListResource(PATH, page, toExpungeRequestResource);
    },
  );
  route.get(
    '/:id',
    {
      ...reads,
      operationId: 'retrieveExpungeRequest',
      summary: 'Retrieve an expunge request with its progress',
      query: Nothing,
    },
    async ({ call, path }) => toExpungeRequestResource(await find(call, path.id)),
  );
  route.post(
    '',
    {
      permission: 'events.expunge',
      freshLogin: true,
      destructive: true,
      operationId: 'createExpungeRequest',
      summary: 'Delete the data of events and of their attempts for ever',
      body: AdminExpungeCreateInput,
      response: ExpungeRequestResource,
    },
    async ({ call, body: { account, livemode, ...input } }) => {
      const owner = await newOwner(call, { account, livemode }, directory.accounts);
      return toExpungeRequestResource(await expunges.create(callFor(call, owner), input));
    },
  );
  return route.routes;
}
