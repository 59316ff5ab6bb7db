import { EnabledEventsInput } from '@paymount/core/changes';
import { z } from 'zod';
import { type Route, routesUnder } from '../routing/route.ts';
import type { Services } from '../services.ts';
import { EVENTS } from './event-schema.ts';

const StreamQuery = z.strictObject({
  types: EnabledEventsInput.optional().meta({
    description: 'Only these event types, families such as `charge.*`, or `*`.',
    example: ['charge.*'],
  }),
});

/** Events as they are recorded: what `paymount listen` forwards. */
export function streamRoutes({ events }: Services): readonly Route[] {
  const route = routesUnder('/v1/events');
  route.events(
    '/stream',
    {
      scope: 'webhooks:write',
      testOnly: true,
      operationId: 'streamEvents',
      summary: 'Follow events as they are recorded, in the test environment',
      query: StreamQuery,
      response: EVENTS,
    },
    ({ call, query: { types } }) =>
      (lastEventId, stop) =>
        events.follow(call, {
          stop,
          ...(types && { types }),
          ...(lastEventId === undefined ? {} : { lastEventId }),
        }),
  );
  return route.routes;
}
