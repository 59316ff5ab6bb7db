import type { Call } from '@paymount/core/kernel';
import {
  type DisputeJson,
  DisputeResource,
  DisputeUpdateInput,
  toDisputeResource,
} from '@paymount/core/payments';
import type { z } from 'zod';
import {
  boundsInput,
  CreatedInput,
  clockFilter,
  idFilter,
  type ListJson,
  ListQuery,
  listSchema,
  toClockFilter,
  toListResource,
  toPageRequest,
} from '../lists.ts';
import { type Expandable, inList } from '../routing/expand.ts';
import { Nothing, type Route, routesUnder } from '../routing/route.ts';
import type { Services } from '../services.ts';

const PATH = '/v1/disputes';

/** What `GET /v1/disputes` takes. */
export const DisputeListQuery = ListQuery.extend({
  charge: idFilter('Only disputes of this charge.'),
  created: CreatedInput,
  due_by: boundsInput('Bounds on the time until which evidence is accepted.'),
  status: DisputeResource.shape.status.optional().meta({
    description: 'Only disputes with this status; `needs_response` waits for you.',
  }),
  test_clock: clockFilter('what is on none, or of one charge all'),
});

/** Disputes: retrieve, list, answer, accept. */
export function disputeRoutes({ disputes }: Services, expand: Expandable): readonly Route[] {
  const route = routesUnder(PATH);
  const needs = { scope: 'disputes:write', response: DisputeResource, expand } as const;

  route.get(
    '',
    {
      ...needs,
      operationId: 'listDisputes',
      summary: 'List disputes, newest first',
      query: DisputeListQuery,
      response: listSchema('DisputeList', DisputeResource),
      expand: inList(expand),
    },
    ({ call, query }) => listDisputes(disputes, call, query),
  );
  route.get(
    '/:id',
    { ...needs, operationId: 'retrieveDispute', summary: 'Retrieve a dispute', query: Nothing },
    async ({ call, path }) => toDisputeResource(await disputes.retrieve(call, path.id)),
  );
  route.post(
    '/:id',
    {
      ...needs,
      operationId: 'updateDispute',
      summary: 'Store evidence, and submit it to the issuer',
      errorStatuses: [402, 502],
      body: DisputeUpdateInput,
    },
    async ({ call, path, body }) => toDisputeResource(await disputes.update(call, path.id, body)),
  );
  route.post(
    '/:id/close',
    {
      ...needs,
      operationId: 'closeDispute',
      summary: 'Accept a dispute: it is lost',
      errorStatuses: [402, 502],
      body: Nothing,
    },
    async ({ call, path }) => toDisputeResource(await disputes.close(call, path.id)),
  );
  return route.routes;
}

/** A page of disputes, newest first. @throws PaymountError `parameters_exclusive`, `invalid_cursor` */
export async function listDisputes(
  disputes: Services['disputes'],
  call: Call,
  {
    charge,
    created,
    due_by: dueBy,
    status,
    test_clock,
    ...page
  }: z.output<typeof DisputeListQuery>,
): Promise<ListJson<DisputeJson>> {
  const filter = {
    ...(charge && { charge }),
    ...(created && { created }),
    ...(dueBy && { dueBy }),
    ...(status && { status }),
    ...toClockFilter({ test_clock }),
  };
  const found = await disputes.list(call, filter, toPageRequest(page));
  return toListResource(PATH, found, toDisputeResource);
}
