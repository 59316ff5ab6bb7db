import { EventTypeInput, type StoredEvent, toEventResource } from '@paymount/core/changes';
import {
  EventReplayInput,
  type ShowDeliveries,
  toAdminDeliveryResource,
} from '@paymount/core/events';
import { findOrThrow } from '@paymount/core/kernel';
import {
  CreatedInput,
  listSchema,
  mapInSlices,
  Nothing,
  storedEventSchema,
  toListResource,
  toPageRequest,
} from '@paymount/http';
import { z } from 'zod';
import {
  type AdminCall,
  callFor,
  type ManagementRoute,
  requireIn,
  routesUnder,
} from '../admin-call.ts';
import { AdminListQuery, toFilter } from '../admin-list-query.ts';
import type { ManagementServices } from '../services.ts';
import { DeliveryListResource } from './delivery-routes.ts';

const PATH = '/events';

const EventListQuery = AdminListQuery.extend({
  type: EventTypeInput.optional(),
  object_id: z.string().max(255).optional().meta({ description: 'Only events of this object.' }),
  created: CreatedInput,
});

const AdminEventResource = storedEventSchema({ account: z.string() });

/** Events: list and retrieve, with the account of each; replay. */
export function eventRoutes({
  directory: { accounts, events },
  eventReplays,
}: ManagementServices): readonly ManagementRoute[] {
  const find = async (call: AdminCall, text: string): Promise<StoredEvent> => {
    const event = await findOrThrow({ noun: 'event', prefix: 'evt' }, text, (id) =>
      events.find(call.admin, id),
    );
    requireIn(call, event.environment);
    return event;
  };
  const route = routesUnder(PATH);
  const reads = { permission: 'deliveries.read', response: AdminEventResource } as const;

  route.get(
    '',
    {
      ...reads,
      operationId: 'listEvents',
      summary: 'List events, newest first',
      query: EventListQuery,
      response: listSchema('EventList', AdminEventResource),
    },
    async ({ call, query: { type, object_id: objectId, created, ...query } }) => {
      const filter = {
        ...(await toFilter(call, query, accounts)),
        ...(type && { types: [type] }),
        ...(objectId === undefined ? {} : { objectId }),
        ...(created && { created }),
      };
      const page = await events.list(call.adminScope, filter, toPageRequest(query));
      const data = await mapInSlices(page.data, toResource);
      return toListResource(PATH, { ...page, data }, (event) => event);
    },
  );
  route.get(
    '/:id',
    { ...reads, operationId: 'retrieveEvent', summary: 'Retrieve an event', query: Nothing },
    async ({ call, path }) => toResource(await find(call, path.id)),
  );
  route.post(
    '/:id/replay',
    {
      permission: 'deliveries.replay',
      operationId: 'replayEvent',
      summary: 'Send an event again, in new deliveries',
      body: EventReplayInput,
      response: DeliveryListResource,
    },
    async ({ call, path, body }) => {
      const event = await find(call, path.id);
      const show = deliveriesUnder(`${PATH}/${event.id}/replay`);
      const replay = { input: body, show };
      return show(await eventReplays.replay(callFor(call, event), event.id, replay));
    },
  );
  return route.routes;
}

/** The same JSON as deliveries send, with the account. */
function toResource(event: StoredEvent): object {
  return { ...toEventResource(event), account: event.accountId };
}

function deliveriesUnder(url: string): ShowDeliveries {
  return (data) =>
    toListResource(url, { data, hasMore: false }, (delivery) => toAdminDeliveryResource(delivery));
}
