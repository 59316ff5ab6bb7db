import { toEventResource } from '@paymount/core/changes';
import { TriggerInput } from '@paymount/core/triggers';
import { EVENTS } from '../events/event-schema.ts';
import { type Route, routesUnder } from '../routing/route.ts';
import type { Services } from '../services.ts';

/** Events on demand, in the test environment. */
export function triggerRoutes({ triggers }: Services): readonly Route[] {
  const route = routesUnder('/v1/test_helpers/events');
  route.post(
    '',
    {
      scope: 'webhooks:write',
      testOnly: true,
      operationId: 'triggerEvent',
      summary: 'Trigger an event',
      body: TriggerInput,
      response: EVENTS,
    },
    async ({ call, body }) => toEventResource(await triggers.trigger(call, body)),
  );
  return route.routes;
}
