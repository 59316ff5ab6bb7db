import { type EventFilter, EventTypeInput, toEventResource } from '@paymount/core/changes';
import { EventReplayInput, type ShowDeliveries, toDeliveryResource } from '@paymount/core/events';
import { PaymountError } from '@paymount/core/kernel';
import { z } from 'zod';
import { DeliveryListResource } from '../deliveries/delivery-routes.ts';
import {
  CreatedInput,
  clockFilter,
  idFilter,
  ListQuery,
  listSchema,
  toClockFilter,
  toListResource,
  toPageRequest,
} from '../lists.ts';
import { Nothing, type Route, routesUnder } from '../routing/route.ts';
import type { Services } from '../services.ts';
import { mapInSlices } from '../slices.ts';
import { STORED_EVENTS } from './event-schema.ts';

const PATH = '/v1/events';

const EventListQuery = ListQuery.extend({
  created: CreatedInput,
  delivery_success: z
    .boolean()
    .optional()
    .meta({
      description:
        'Whether every endpoint that was subscribed when the event was recorded has received it, by its ' +
        'delivery or by a replay.',
    }),
  object_id: idFilter('Only events of this object.'),
  test_clock: clockFilter('what is on none, or of one object all'),
  type: EventTypeInput.optional(),
  types: z.array(EventTypeInput).min(1).max(20).optional(),
});

/** Events: retrieve and list, with exactly the delivered bytes; replay. */
export function eventRoutes({ events, eventReplays }: Services): readonly Route[] {
  const route = routesUnder(PATH);
  route.get(
    '',
    {
      scope: 'webhooks:write',
      operationId: 'listEvents',
      summary: 'List events, newest first',
      query: EventListQuery,
      response: listSchema('EventList', STORED_EVENTS),
    },
    async ({ call, query }) => {
      const page = await events.list(call, toFilter(query), toPageRequest(query));
      const data = await mapInSlices(page.data, toEventResource);
      return toListResource(PATH, { ...page, data }, (event) => event);
    },
  );
  route.get(
    '/:id',
    {
      scope: 'webhooks:write',
      operationId: 'retrieveEvent',
      summary: 'Retrieve an event',
      query: Nothing,
      response: STORED_EVENTS,
    },
    async ({ call, path }) => toEventResource(await events.retrieve(call, path.id)),
  );
  route.post(
    '/:id/replay',
    {
      scope: 'webhooks:write',
      operationId: 'replayEvent',
      summary: 'Send an event again, in new deliveries',
      body: EventReplayInput,
      response: DeliveryListResource,
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

function toFilter(query: z.output<typeof EventListQuery>): EventFilter {
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
    ...toClockFilter(query),
  };
}
