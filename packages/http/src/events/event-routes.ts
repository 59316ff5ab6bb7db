import {
  DeliveryResource,
  EVENT_TYPES,
  type EventFilter,
  EventReplayInput,
  EventResource,
  PaymountError,
  type ShowDeliveries,
  toDeliveryResource,
  toEventResource,
} from '@paymount/core';
import { z } from 'zod';
import { CreatedInput, ListQuery, listOf, pageOf, toListResource } from '../lists.ts';
import { Nothing, type Route, routesUnder } from '../routing/route.ts';
import type { Services } from '../services.ts';

const PATH = '/v1/events';

const EventListQuery = ListQuery.extend({
  created: CreatedInput,
  delivery_success: z
    .boolean()
    .optional()
    .meta({ description: 'Whether every delivery succeeded; looks back 30 days.' }),
  object_id: z.string().max(255).optional().meta({ description: 'Only events of this object.' }),
  type: z.enum(EVENT_TYPES).optional(),
  types: z.array(z.enum(EVENT_TYPES)).min(1).max(20).optional(),
});

/** Events: retrieve and list, in the very bytes that are delivered; replay. */
export function eventRoutes({ events, eventReplays }: Services): readonly Route[] {
  const route = routesUnder(PATH);
  route.get(
    '',
    {
      scope: 'webhooks:write',
      summary: 'List events, newest first',
      query: EventListQuery,
      answers: listOf('EventList', EventResource),
    },
    async ({ call, query }) =>
      toListResource(
        PATH,
        await events.list(call, filterOf(query), pageOf(query)),
        toEventResource,
      ),
  );
  route.get(
    '/:id',
    {
      scope: 'webhooks:write',
      summary: 'Retrieve an event',
      query: Nothing,
      answers: EventResource,
    },
    async ({ call, path }) => toEventResource(await events.retrieve(call, path.id)),
  );
  route.post(
    '/:id/replay',
    {
      scope: 'webhooks:write',
      summary: 'Send an event again, in new deliveries',
      body: EventReplayInput,
      answers: listOf('DeliveryList', DeliveryResource),
    },
    async ({ call, path, body }) => {
      const show = deliveriesUnder(`${PATH}/${path.id}/replay`);
      return show(await eventReplays.replay(call, path.id, { input: body, show }));
    },
  );
  return route.routes;
}

function deliveriesUnder(url: string): ShowDeliveries {
  return (data) =>
    toListResource(url, { data, hasMore: false }, (delivery) => toDeliveryResource(delivery));
}

function filterOf(query: z.output<typeof EventListQuery>): EventFilter {
  const { created, delivery_success: deliverySuccess, object_id: objectId, type, types } = query;
  if (type !== undefined && types !== undefined) {
    throw new PaymountError('parameters_exclusive', 'Send either type or types, not both.', {
      param: 'types',
    });
  }
  const wanted = type === undefined ? types : [type];
  return {
    ...(created && { created }),
    ...(deliverySuccess === undefined ? {} : { deliverySuccess }),
    ...(objectId && { objectId }),
    ...(wanted && { types: wanted }),
  };
}
